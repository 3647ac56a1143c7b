/**
 * What a conformance case needs of any provider: a home and a work folder of its own, Reprise on them,
 * an agent that misbehaves on demand, and a witness of what was executed that Reprise does not write.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Reprise, Send, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import type { BusyPolicy } from "@reprise/core/session/turn";
import { readStoreRecord } from "@reprise/engine/home";
import { openReprise } from "@reprise/engine/open-reprise";
import { withMark } from "@reprise/providers/launch/process";
import { onTestFinished, vi } from "vitest";
import { inherited } from "../environment.ts";
import type { RunCall, RunOrder } from "../runs/caller.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { until } from "../until.ts";
import type { CallerOrder } from "./caller.ts";
import { Database } from "./database.ts";

/** One start of the agent's program. */
export interface Launch {
  readonly argv: readonly string[];
  /** The provider session that it was started to continue; null for a new one. */
  readonly resumed: string | null;
}

/** One request to the model. */
export interface ModelCall {
  /** The provider session that made it. */
  readonly session: string;
  /** The whole last message of the user. */
  readonly prompt: string;
  /** How many messages of the conversation came before that one. */
  readonly earlier: number;
}

export interface Witness {
  launches(): Launch[];
  calls(): ModelCall[];
  /** All that the model was sent, request by request, word for word. */
  wire(): string[];
}

/** What can be asked of every agent; each holds for the next launch alone unless it says otherwise. */
export type Misbehaviour =
  /** Refuses to continue the session, before anything else. */
  | "refuse"
  /** The same, and then a new session fails as well. */
  | "refuse-and-fail"
  /** Runs a tool, then cannot use the session. */
  | "refuse-after-tool"
  /** Continues nothing: a new session, without a word about it. */
  | "new-session"
  | "rate-limit"
  | "server-error"
  | "cut-off"
  /** Runs a tool, then fails for a passing reason. */
  | "fail-after-tool"
  /** Runs a tool that does not end. */
  | "hang-in-tool"
  /** Cannot use its own history any more, before anything else. */
  | "poisoned"
  /** Is not logged in. */
  | "no-login"
  /** Gets a page of the network instead of an answer. */
  | "portal"
  /** Its model does not exist. */
  | "no-model"
  /** Ends its turn without an answer, before or after a tool. */
  | "empty"
  | "empty-after-tool"
  /** Fails for an unknown reason. */
  | "unknown-failure"
  /** Answers, and saves nothing of it. */
  | "ghost";

/** An answer that the model holds back. */
export interface HeldAnswer {
  /** The model was asked. */
  reached(): Promise<void>;
  release(): void;
}

/** The result of one turn, and what the witness saw of it. */
export interface Watched {
  readonly turn: TurnResult;
  readonly launches: readonly Launch[];
  readonly calls: readonly ModelCall[];
}

export interface Process<Result = TurnResult> {
  readonly child: ChildProcess;
  /** Standard output as JSON, once it has ended; null when it wrote none. */
  readonly ended: Promise<EndedSend<Result>>;
}

export interface EndedSend<Result = TurnResult> {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly result: Result | null;
  readonly stderr: string;
}

export interface TurnRow {
  readonly id: string;
  readonly status: string;
  /** Grows with every owner. */
  readonly token: number;
}

export interface OpenWith {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A clock instead of the system's. */
  readonly now?: () => number;
}

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const caller = fileURLToPath(new URL("./caller.ts", import.meta.url));
const runCaller = fileURLToPath(new URL("../runs/caller.ts", import.meta.url));

export const key = "wf:1:agent:coder";
export const secret = "APPLE-739";
export const remember = `remember ${secret}`;
export const recall = "what did I ask you to remember?";

export abstract class Subject implements AsyncDisposable {
  readonly provider: string;
  readonly root = temporaryFolder("conformance");
  readonly home = join(this.root, "home");
  readonly folder = this.newFolder("work");
  abstract readonly witness: Witness;
  /** Environment of Reprise and of its agents. */
  env: Record<string, string> = { ...inherited, HOME: this.newFolder("user") };
  #reprise: Reprise | null = null;
  readonly #children: ChildProcess[] = [];

  protected constructor(provider: string) {
    this.provider = provider;
    onTestFinished(() => this.#end());
  }

  /** Settings of the agent that is under test. */
  abstract agentSettings(): Record<string, string>;
  /** The provider's own file of a session. */
  abstract sessionFile(id: string): string;
  /** What a checkpoint keeps of that file. */
  async kept(file: Buffer): Promise<Buffer> {
    return file;
  }
  abstract misbehave(how: Misbehaviour): void;
  abstract hold(): HeldAnswer;
  /** From now on the agent's program belongs to another account. */
  abstract changeAccount(): void;
  /** From now on another program, or the same one in another home, would be started. */
  abstract changeRuntime(): Promise<void>;
  /** From the first turn on, the agent's program knows no way to continue a session. */
  abstract removeResume(): void;

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    this.#remove();
  }

  /** A test that failed or hangs leaves no process behind. */
  #end(): void {
    if (!existsSync(this.root)) return;
    for (const child of this.#children) child.kill("SIGKILL");
    const turns = existsSync(this.home) ? this.turns("%") : [];
    for (const { pid } of turns.flatMap(({ id }) => withMark(id))) signal(pid, "SIGKILL");
    this.#remove();
  }

  #remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  newFolder(name: string): string {
    const folder = join(this.root, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  async open({ settings = {}, now }: OpenWith = {}): Promise<Reprise> {
    await this.close();
    const { home, folder: cwd, env } = this;
    this.#reprise = await openReprise({
      home,
      cwd,
      env,
      settings: { endGrace: "300ms", probeTimeout: "2m", ...settings },
      ...(now && { now }),
    });
    return this.#reprise;
  }

  async close(): Promise<void> {
    await this.#reprise?.close();
    this.#reprise = null;
  }

  get reprise(): Reprise {
    if (this.#reprise === null) throw new Error("Reprise is not open");
    return this.#reprise;
  }

  async createAgent(name: string, instructions?: string): Promise<void> {
    await this.reprise.agents.create({
      name,
      provider: this.provider,
      settings: { ...this.agentSettings(), ...(instructions && { instructions }) },
    });
  }

  async send(
    prompt: string,
    send: Partial<Send> = {},
    options: SendOptions = {},
  ): Promise<Watched> {
    const launches = this.witness.launches().length;
    const calls = this.witness.calls().length;
    const turn = await this.reprise.sessions.send(
      { key, agent: "coder", ...send, prompt },
      options,
    );
    return {
      turn,
      launches: this.witness.launches().slice(launches),
      calls: this.witness.calls().slice(calls),
    };
  }

  /** The first turn, which says the secret; returns the provider session's id. */
  async begin(send: Partial<Send> = {}): Promise<string> {
    const { turn, calls } = await this.send(remember, send);
    if (turn.turn.status !== "done")
      throw new Error(`no first turn: ${JSON.stringify(turn.error)}`);
    return calls[0]!.session;
  }

  /** `reprise …` in a process of its own. */
  cli(...args: string[]): Process {
    return this.#start([program, ...args, "--json"]);
  }

  /**
   * Sends a prompt in a process of its own: by the command line, or by the library where the home has a PostgreSQL
   * database, which the command line uses only through a server.
   */
  sender(prompt: string, busy?: BusyPolicy): Process {
    if (readStoreRecord(this.home) !== null)
      return this.caller({ send: { key, agent: "coder", prompt, ...(busy && { busy }) } });
    const args = busy === undefined ? [] : ["--busy", busy];
    return this.cli("sessions", "send", key, prompt, "--agent", "coder", ...args);
  }

  /** A process that opens Reprise as a library, sends one turn, and dies where its order says. */
  caller(order: Omit<CallerOrder, "home" | "folder">): Process {
    const whole: CallerOrder = { ...order, home: this.home, folder: this.folder };
    return this.#start([caller, JSON.stringify(whole)]);
  }

  /** A process that opens Reprise as a library and makes one call about runs. */
  runCaller<Result>(call: RunCall, input?: unknown): Process<Result> {
    const order: RunOrder = { home: this.home, folder: this.folder, call, input };
    return this.#start<Result>([runCaller, JSON.stringify(order)]);
  }

  #start<Result = TurnResult>(args: readonly string[]): Process<Result> {
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      env: { ...this.env, REPRISE_HOME: this.home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.push(child);
    return { child, ended: endOf(child) };
  }

  /** The turns of a key in their order, as the database has them. */
  turns(of = key): TurnRow[] {
    using database = new Database(this);
    return database.rows<TurnRow>(
      "SELECT id, status, token FROM turn WHERE key LIKE :of ORDER BY seq",
      { of },
    );
  }

  /** The spool of a turn's attempt. */
  spool(turn: string, attempt = 1): string {
    return join(this.home, "turns", turn, String(attempt));
  }
}

async function endOf<Result>(child: ChildProcess): Promise<EndedSend<Result>> {
  const closed = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once("close", (...ending) => resolve(ending)),
  );
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  const [code, signal] = await closed;
  return { code, signal, stderr, result: stdout === "" ? null : JSON.parse(stdout) };
}

/** A subject with Reprise open and the agent `coder`. */
export type StartSubject = (options?: SubjectOptions) => Promise<Subject>;

export interface SubjectOptions extends OpenWith {
  readonly instructions?: string;
  /** Before the agent is made. */
  readonly before?: (subject: Subject) => void;
}

export async function started<S extends Subject>(
  subject: S,
  options: SubjectOptions = {},
): Promise<S> {
  options.before?.(subject);
  await subject.open(options);
  await subject.createAgent("coder", options.instructions);
  return subject;
}

/**
 * Which of the four outcomes a turn had, by the witness alone: whether a session was continued (the
 * flag, the id, and what the model saw) and whether the transcript was sent. `mixed` is none of them.
 */
export function witnessed(
  { launches, calls }: Pick<Watched, "launches" | "calls">,
  pinned: string | null,
): "resume" | "reseed" | "blank" | "refuse" | "mixed" {
  if (launches.length === 0 && calls.length === 0) return "refuse";
  const [launch, call] = [launches.at(-1), calls.at(-1)];
  if (!launch || !call || launches.length > 1) return "mixed";
  const hasTranscript = call.prompt.includes(secret);
  if (launch.resumed !== null)
    return launch.resumed === pinned &&
      call.session === pinned &&
      call.earlier > 0 &&
      !hasTranscript
      ? "resume"
      : "mixed";
  if (call.session === pinned || call.earlier > 0) return "mixed";
  return hasTranscript ? "reseed" : "blank";
}

/** The guards that did not pass. */
export function failed({ decision }: TurnResult): string[] {
  return decision?.verdicts.filter(({ passed }) => !passed).map(({ guard }) => guard) ?? [];
}

/** What Reprise says, without the remarks of the agent itself. */
export function codes({ notices }: TurnResult): string[] {
  return notices.map(({ code }) => code).filter((code) => code !== "agent");
}

/** A limit of time that passes when the test says so, however slow the machine is. */
export function timeLimit(): { readonly timeout: number; readonly pass: () => void } {
  const timeout = 3_600_000;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return { timeout, pass: () => vi.advanceTimersByTime(timeout) };
}

/** Signals a process that may be gone: agents have children that live for moments. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** No process carries the turn's mark any more. */
export async function gone(turn: string): Promise<void> {
  await until(() => withMark(turn).length === 0);
}
