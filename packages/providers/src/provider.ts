/**
 * The Provider contract: how one kind of agent is found, started and understood, and how its history is
 * read, copied out and put back. Every provider is a command: a turn is one child process that gets
 * its prompt on standard input and writes lines to standard output. docs/writing-a-provider.md says how to add one.
 */

import type { Dirent } from "node:fs";
import type { Hash } from "@reprise/core/conversation/slice";
import type { Access, Denial } from "@reprise/core/session/access";
import type { Failure } from "@reprise/core/session/failure";
import type { History } from "@reprise/core/session/history";
import type { Handle, Runtime } from "@reprise/core/session/pin";
import type { AskedQuestion } from "@reprise/core/session/question";
import type { JsonSchema } from "@reprise/core/session/turn";
import type { Usage } from "@reprise/core/usage/usage";
import type { ProviderManifest } from "./manifest.ts";

export type { Failure };

/** The agent as a provider sees it. */
export interface ProviderAgent {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Folder of Reprise that belongs to this agent; the provider may keep a home there. */
  readonly privateFolder: string;
  /** Folders that it may always read and never write. */
  readonly readable?: readonly string[];
  /** Environment that the agent will be started with. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a probe found out about the program that would be started. */
export interface Probe {
  readonly binary: string;
  readonly runtime: Runtime;
  /** Account id, or a keyed digest of an API key. */
  readonly account: string | null;
  /** Whether its program can run commands in a sandbox on this machine. Absent: it has no sandbox. */
  readonly sandbox?: boolean;
}

/** What a launch may do. */
export interface LaunchAccess {
  readonly level: Access;
  /** True when a level was named. Otherwise the level follows from the agent's settings, which are passed on unchanged. */
  readonly named: boolean;
  /** Commands that `edit` may run without a sandbox, exactly as written. */
  readonly allowedCommands: readonly string[];
  /** The agent asks a person for what is not allowed. */
  readonly asks: boolean;
  /** Reprise's own files and folders, which the agent may neither read nor write under `read` and `edit`. */
  readonly hidden: readonly string[];
  /** Reprise's folders that the agent may always read: its own and its run's. */
  readonly readable: readonly string[];
  /** From the probe. */
  readonly sandbox: boolean;
}

/** What a probe found out about one binary, by its path. */
export interface ProbeCache {
  read(binary: string): Promise<unknown>;
  write(binary: string, result: unknown): Promise<void>;
}

export interface ProbeTools {
  readonly cache: ProbeCache;
  /** Milliseconds until the program must have answered a call such as `--version`. */
  readonly timeout: number;
  /** Keyed digest for credentials: the same input gives the same output, and the output reveals nothing. */
  readonly digest: Hash;
}

export interface LaunchRequest {
  readonly agent: ProviderAgent;
  readonly binary: string;
  readonly runtime: Runtime;
  /** Present: resume this one. Absent: a new provider session. */
  readonly resume: Handle | null;
  /** Start a new session with the history of `resume` instead of continuing `resume` itself. */
  readonly fork?: boolean;
  /** The id for a new session, where the manifest's `ids` is `caller`. */
  readonly newId: string | null;
  readonly folder: string;
  readonly model: string | null;
  /** Passed with every launch: providers forget the policy of the turn before. */
  readonly access: LaunchAccess;
  /**
   * Present: the session waits for answers, and this file has them (`answers.ts`); it is resumed to
   * take them, without a prompt.
   */
  readonly answers?: string | null;
  /** A call that `resume` still has deferred from an earlier turn (`deferredCall`): without an answer it must not run. */
  readonly deferred?: string | null;
  /** Present where `takesSchema` returned true: the schema of the answer, as a text and in a file. */
  readonly schema?: { readonly text: string; readonly file: string } | null;
}

/** What is started. Secrets go into the environment, never into `argv`; `env` is added to the agent's own. */
export interface AgentCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An event in an agent's output, in the same form for every provider. */
export type AgentEvent =
  | { readonly type: "session"; readonly id: string }
  /** The model that this turn runs on. */
  | { readonly type: "model"; readonly name: string }
  /** The version of the program that runs, as it names itself: a wrapper's file does not change with it. */
  | { readonly type: "version"; readonly version: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string }
  /** A tool that the agent was denied; `id` is the call's, so that one denial counts once. */
  | ({ readonly type: "denied"; readonly id?: string } & Denial)
  | { readonly type: "usage"; readonly usage: Usage }
  /** The agent finished the turn; `text` is the whole answer. */
  | { readonly type: "result"; readonly text: string }
  /** The turn ended here and waits for an answer; no result follows. */
  | ({ readonly type: "asked" } & AskedQuestion)
  | { readonly type: "failure"; readonly failure: Failure }
  | { readonly type: "note"; readonly text: string };

export interface Exit {
  /** Exit code, 128 + signal, or null when it was never recorded. */
  readonly code: number | null;
  readonly stderr: string;
  /** Set when another process cancelled the turn; `by` is null when it gave no name. */
  readonly cancelled?: { readonly by: string | null };
}

/** Parses one launch's standard output, line by line. */
export interface Reader {
  line(line: string): AgentEvent[];
  /** Called once after the last line; names the failure when the lines alone did not. */
  end(exit: Exit): AgentEvent[];
}

/** A file of a provider session; `name` is relative to the handle's place. */
export interface ProviderFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Where a provider reads its files and folders; it has read each only once. For any problem other than that a path does
 * not exist, it throws an UnreadError.
 */
export interface FileSource {
  /** The file's content; null when it does not exist. */
  readIfThere(path: string): Promise<Uint8Array | null>;
  /** The folder's entries; none when it does not exist. */
  listIfThere(path: string, options?: { readonly recursive?: boolean }): Promise<Dirent[]>;
}

/** The id and folder that a session's files may mention. */
export interface SessionLocation {
  readonly id: string;
  /** The work folder. */
  readonly folder: string;
}

/** A session in the files of the agent's own program, as a person would recognise it. */
export interface FoundSession {
  readonly id: string;
  /** The folder that it began in; null if its files do not tell. */
  readonly folder: string | null;
  /** What it was asked first. */
  readonly prompt: string;
  /** When its files were last written, in milliseconds since 1970. */
  readonly usedAt: number;
}

/** The files in a home that each have one session, or a part of one. */
export interface NativeFiles {
  /** Real path of the home. */
  readonly place: string;
  /** Relative to `place`. */
  readonly names: readonly string[];
  /** Folders that could not be listed, with the reason; sessions may be in them. */
  readonly unlisted?: readonly Unlisted[];
}

export interface Unlisted {
  readonly path: string;
  readonly problem: string;
}

/** When the agent's own program deletes sessions that were not used. */
export interface Retention {
  /** In milliseconds after its last use. */
  readonly after: number;
  /** The setting and its value, or that it is the default. */
  readonly why: string;
}

/**
 * How the sessions of the agent's own program are found by their files, so that Reprise can keep copies of those that
 * it did not start. Nothing here writes.
 */
export interface NativeSessions {
  /** Reads no file: a home may have thousands. A home that does not exist has none. */
  list(agent: ProviderAgent): Promise<NativeFiles>;
  /** The session in a file, by the whole lines of its beginning; null if a person could not resume it. */
  identify(path: string, head: Uint8Array): Promise<Omit<FoundSession, "usedAt"> | null>;
  /** Names of further files of the session, which are read when the file itself has changed. */
  beside?(handle: Handle, name: string): Promise<string[]>;
  /** Null if its program deletes none. */
  retention?(agent: ProviderAgent): Promise<Retention | null>;
  /** Absent: its program cannot run a command when a session ends. */
  readonly hooks?: NativeHooks;
}

/** Commands that the agent's own program runs, as its settings name them: `hooks.<event>[].hooks[].command`. */
export interface NativeHooks {
  /** When it has answered, and when it exits. */
  readonly events: readonly string[];
  /** The user's settings file. */
  settingsFile(agent: ProviderAgent): Promise<string>;
}

export interface Provider {
  /** Version of this contract; `defineProvider` writes it. */
  readonly contract: number;
  readonly manifest: ProviderManifest;
  /**
   * Checks the agent's settings; called when an agent is created or changed, and before every turn.
   * @throws UsageError
   */
  validate(agent: ProviderAgent): Promise<void>;
  /** @throws NotFoundError when the agent's program is not there. */
  probe(agent: ProviderAgent, tools: ProbeTools): Promise<Probe>;
  /**
   * Whether its program would refuse to answer because no login and no key are where it looks for them. False if they
   * are there, or may be in a place that cannot be read. Absent: it needs none.
   */
  lacksLogin?(agent: ProviderAgent): Promise<boolean>;
  /** Why its program would refuse to start with this access; null when it would not. */
  refusesAccess?(
    agent: ProviderAgent,
    access: Pick<LaunchAccess, "level" | "named">,
  ): { readonly message: string; readonly hint: string } | null;
  /** What the agent was denied in its last turn, for a program whose output does not report every denial. */
  denials?(handle: Handle, source?: FileSource): Promise<Denial[]>;
  /** Makes a prompt plain text where the agent would take part of it for a command. */
  escape?(prompt: string): string;
  /** For the ability `schema`: whether the program supports this one. If not, the prompt carries the schema. */
  takesSchema?(schema: JsonSchema): boolean;
  command(request: LaunchRequest): AgentCommand;
  /**
   * For the ability `compact`: the command by which the agent's own program compacts `resume`, and what it reads
   * instead of a prompt. `focus` is what the summary should focus on. Afterwards the history has a new item `summary`.
   */
  compact?(
    request: LaunchRequest & { readonly resume: Handle },
    focus: string | null,
  ): AgentCommand & { readonly prompt: string };
  /** The call that the session has deferred and would try again when it is resumed. Absent: it never defers one. */
  deferredCall?(handle: Handle): Promise<string | null>;
  /** The process that writes the session, when the program reports that another one does; null when it is unknown. */
  holder?(agent: ProviderAgent, binary: string, handle: Handle): Promise<string | null>;
  /** For the ability `open`: what a person would type to continue `resume` in the agent's own program. */
  interactive?(request: LaunchRequest & { readonly resume: Handle }): AgentCommand;
  reader(): Reader;
  /** The folder where the files of a session of this agent are, for a session that works in `folder`. */
  place(agent: ProviderAgent, folder: string): Promise<string>;
  /**
   * Calls with the same `source` see the same bytes: `copyOut` returns what `observe` judged, even if the agent writes in
   * between.
   * @throws UnreadError when its files cannot be read, which says nothing about what is in them.
   */
  observe(
    handle: Handle,
    hash: Hash,
    source?: FileSource,
  ): Promise<History | "missing" | "unreadable">;
  /**
   * For the ability `rewind`: the histories that its files may have held when they had `bytes` bytes, still there
   * after a person went back in the agent's own program.
   */
  earlier?(handle: Handle, bytes: number, hash: Hash, source?: FileSource): Promise<History[]>;
  /**
   * The sessions that a person can resume in its program, the last used first: those that began in `folder`, or all if
   * it is null. Absent: its files cannot be listed.
   */
  sessions?(
    agent: ProviderAgent,
    selection: { readonly folder: string | null; readonly limit: number },
  ): Promise<FoundSession[]>;
  /** Absent: sessions that Reprise did not start cannot be kept. */
  readonly native?: NativeSessions;
  copyOut(handle: Handle, source?: FileSource): Promise<ProviderFile[]>;
  /** Puts files back, each atomically; moves what it finds in their place into `aside` first. */
  copyIn(handle: Handle, files: readonly ProviderFile[], aside: string): Promise<void>;
  /** Rewrites a session's files for another id or folder. Absent: they are copied unchanged. */
  relocate?(
    files: readonly ProviderFile[],
    from: SessionLocation,
    to: SessionLocation,
  ): ProviderFile[];
}
