/**
 * The Provider contract: how one kind of agent is found, started, understood, and how its history is
 * read, copied out and put back. Every provider is a command: a turn is one child process that gets
 * its prompt on standard input and writes lines to standard output. To add an agent, write one folder
 * that exports a Provider, and name it in `registry.ts`.
 */

import type { Hash } from "@reprise/core/conversation/slice";
import type { Access, Denial } from "@reprise/core/session/access";
import type { Failure } from "@reprise/core/session/failure";
import type { History } from "@reprise/core/session/history";
import type { Handle, Runtime } from "@reprise/core/session/pin";
import type { AskedQuestion } from "@reprise/core/session/question";
import type { JsonSchema } from "@reprise/core/session/turn";
import type { Usage } from "@reprise/core/usage/usage";

export type { Failure };

/** The agent as a provider sees it. */
export interface ProviderAgent {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Folder of Reprise that belongs to this agent; the provider may keep a home there. */
  readonly privateFolder: string;
  /** Folders that it may read, and never write, wherever it works. */
  readonly readable?: readonly string[];
  /** Environment that the agent will be started with. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ProviderTraits {
  /** `caller`: we choose the id of a new session. `captured`: the agent tells it. */
  readonly ids: "caller" | "captured";
  /** What an id of this provider looks like. */
  readonly idPattern: RegExp;
  /** The provider session keeps instructions it was once told. */
  readonly keepsInstructions: boolean;
  /** Bytes of prompt that it takes on standard input. */
  readonly maxPrompt: number;
  /** Usage is reported as a running total over the provider session. */
  readonly runningTotals: boolean;
  /**
   * Present: a resumed session continues with the model of the turn before unless it is told another; this
   * is the word for its default.
   */
  readonly defaultModel?: string;
  /** `file`: its history is files that can be copied out and in. `none`: it is not. */
  readonly checkpoint: "file" | "none";
  /**
   * How a session is made that begins with another one's past: its files under another id (`relocate`),
   * or by its program, at the end alone (`LaunchRequest.fork`). Absent: it is not.
   */
  readonly fork?: "copy" | "command";
  /** Settings it understands, each with one sentence. */
  readonly settings: Readonly<Record<string, string>>;
  /** Those of them that are paths: relative ones are made absolute when an agent is created. */
  readonly paths: readonly string[];
  /** How access is enforced: its part of the one word for all providers. */
  readonly access: AccessTraits;
}

export interface AccessTraits {
  /** What these settings give by themselves; null where they say nothing about it. */
  given(settings: Readonly<Record<string, string>>): Access | null;
  /** A tool that is not allowed can be asked of a person (`onDenied: ask`). */
  readonly asks: boolean;
}

/** What a probe found out about the program that would be started. */
export interface Probe {
  readonly binary: string;
  readonly runtime: Runtime;
  /** Account id, or a keyed digest of an API key. */
  readonly account: string | null;
  /** Its program can run commands in a sandbox here; absent where that is no question. */
  readonly sandbox?: boolean;
}

/** What a launch may do. */
export interface LaunchAccess {
  readonly level: Access;
  /** The level was said as a word; otherwise the agent's settings give it, and are passed on as they are. */
  readonly named: boolean;
  /** Commands that `edit` may run without a sandbox, exactly as written. */
  readonly allowedCommands: readonly string[];
  /** What is not allowed is asked of a person. */
  readonly asks: boolean;
  /** Files and folders of Reprise that are neither read nor written under `read` and `edit`. */
  readonly hidden: readonly string[];
  /** Folders of Reprise that may be read wherever the agent works: its own, and that of its run. */
  readonly readable: readonly string[];
  /** From the probe. */
  readonly sandbox: boolean;
}

/** What was found out about one binary; cached by its path, size and time. */
export interface ProbeCache {
  read(binary: string): Promise<unknown>;
  write(binary: string, result: unknown): Promise<void>;
}

export interface ProbeTools {
  readonly cache: ProbeCache;
  /** Milliseconds that the program has for each answer about itself. */
  readonly timeout: number;
  /** Keyed digest, for credentials: equal input, equal output, and nothing to be learnt from it. */
  readonly digest: Hash;
}

export interface LaunchRequest {
  readonly agent: ProviderAgent;
  readonly binary: string;
  readonly runtime: Runtime;
  /** Present: resume this one. Absent: a new provider session. */
  readonly resume: Handle | null;
  /** Do not go on with `resume`, but with a new session that begins with what it has. */
  readonly fork?: boolean;
  /** The id for a new session, where ids are the caller's. */
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
  /** Present where `takesSchema` says so: what the answer shall fit, as a text and in a file. */
  readonly schema?: { readonly text: string; readonly file: string } | null;
}

/** What is started. Secrets stand in the environment, never in `argv`; `env` is added to the agent's own. */
export interface AgentCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What an agent's output means, the same for all. */
export type AgentEvent =
  | { readonly type: "session"; readonly id: string }
  /** The model that this turn runs on. */
  | { readonly type: "model"; readonly name: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string }
  /** A tool that it was not let use; `id` is the call's, so that one denial counts once. */
  | ({ readonly type: "denied"; readonly id?: string } & Denial)
  | { readonly type: "usage"; readonly usage: Usage }
  /** The turn ended as the agent sees it; `text` is the whole answer. */
  | { readonly type: "result"; readonly text: string }
  /** The turn ended here and waits for an answer; no result follows. */
  | ({ readonly type: "asked" } & AskedQuestion)
  | { readonly type: "failure"; readonly failure: Failure }
  | { readonly type: "note"; readonly text: string };

export interface Exit {
  /** Exit code, 128 + signal, or null when it was never recorded. */
  readonly code: number | null;
  readonly stderr: string;
  /** Somebody else than who followed it cancelled the turn; `by` is null when he gave no name. */
  readonly cancelled?: { readonly by: string | null };
}

/** Understands one launch's standard output, line by line. */
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

/** A session as its files may name it. */
export interface Whereabouts {
  readonly id: string;
  /** The work folder. */
  readonly folder: string;
}

export interface Provider {
  readonly name: string;
  readonly traits: ProviderTraits;
  /** @throws UsageError for a setting that it does not understand or can not use. */
  validate(agent: ProviderAgent): Promise<void>;
  /** @throws NotFoundError when the agent's program is not there. */
  probe(agent: ProviderAgent, tools: ProbeTools): Promise<Probe>;
  /** Why its program would refuse to start with this access; null when it would not. */
  refusesAccess?(
    agent: ProviderAgent,
    access: Pick<LaunchAccess, "level" | "named">,
  ): { readonly message: string; readonly hint: string } | null;
  /** What its last turn in this session was not let do, where its output does not say all of it. */
  denials?(handle: Handle): Promise<Denial[]>;
  /** What makes a prompt plain text for an agent that would read a command into it; else nothing is. */
  escape?(prompt: string): string;
  /** Its program can be told this schema of the answer; where it can not, the prompt says it. */
  takesSchema?(schema: JsonSchema): boolean;
  command(request: LaunchRequest): AgentCommand;
  /**
   * What lets the agent's own program compact `resume`, and what that reads instead of a prompt; `focus`
   * is what the summary shall mind. Its history has a new item `summary` then. Absent: it can not.
   */
  compact?(
    request: LaunchRequest & { readonly resume: Handle },
    focus: string | null,
  ): AgentCommand & { readonly prompt: string };
  /** The call that the session has deferred and would try again when it is resumed; absent where none ever is. */
  deferredCall?(handle: Handle): Promise<string | null>;
  /** Who writes the session, when its program says that another process does; null where that is not known. */
  holder?(agent: ProviderAgent, binary: string, handle: Handle): Promise<string | null>;
  /** What a person would type to go on with `resume` by hand; absent where there is no such program. */
  interactive?(request: LaunchRequest & { readonly resume: Handle }): AgentCommand;
  reader(): Reader;
  /** The place where a session of this agent in this folder lives. */
  place(agent: ProviderAgent, folder: string): Promise<string>;
  /** @throws UnreadError when its files can not be read, which says nothing about what is in them. */
  observe(handle: Handle, hash: Hash): Promise<History | "missing" | "unreadable">;
  /**
   * What its files may have been when its history had so many bytes, and still are below what a person
   * went back from in its own program; absent where that leaves nothing behind.
   */
  earlier?(handle: Handle, bytes: number, hash: Hash): Promise<History[]>;
  copyOut(handle: Handle): Promise<ProviderFile[]>;
  /** Puts files back, each atomically; what it finds in their place is moved into `aside` first. */
  copyIn(handle: Handle, files: readonly ProviderFile[], aside: string): Promise<void>;
  /** The files of one session as those of another, or for another folder; absent where they stay as they are. */
  relocate?(files: readonly ProviderFile[], from: Whereabouts, to: Whereabouts): ProviderFile[];
}
