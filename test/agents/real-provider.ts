/**
 * A provider with its real program and a model server on loopback: a turn is launched as the provider
 * says, with nothing of the engine in between.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { chain } from "@reprise/core/conversation/slice";
import type { History } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import type { Answers } from "@reprise/providers/answers";
import type { ModelServer } from "@reprise/providers/models/server";
import type {
  AgentEvent,
  LaunchAccess,
  LaunchRequest,
  Probe,
  Provider,
  ProviderAgent,
} from "@reprise/providers/provider";
import { bySettings } from "@reprise/providers/test-access";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { patience } from "../until.ts";
import { type AgentName, agentBinary, installAgents, leftOut } from "./agents.ts";

interface Surroundings {
  /** The agent, where the provider drives several; otherwise it has the provider's name. */
  readonly agent?: AgentName;
  /** Its settings; its home and its program unless they are given. */
  settings?(home: string): Record<string, string>;
  startModelServer(): Promise<ModelServer>;
  /** Makes the agent's home, where the agent does not do it itself. */
  makeHome?(home: string, server: ModelServer): Promise<void>;
  env(server: ModelServer, home: string): Record<string, string>;
}

export interface AgentTurn {
  readonly events: AgentEvent[];
  readonly code: number | null;
  readonly id: string | undefined;
  readonly answer: string | undefined;
}

export interface TurnOptions {
  readonly model?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly answers?: Answers;
  readonly access?: Partial<LaunchAccess>;
  readonly onLaunch?: (child: ChildProcess) => void;
}

type Launch = Pick<LaunchRequest, "resume" | "newId"> &
  Partial<Pick<LaunchRequest, "agent" | "model" | "answers" | "fork">> & {
    /** What is not named is as the agent's settings say. */
    readonly access?: Partial<LaunchAccess>;
  } & Pick<TurnOptions, "env">;

interface Launched {
  readonly child: ChildProcess & { readonly stdin: Writable };
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

export const hash = (words: string) => createHash("sha256").update(words).digest("hex");

const probed = new Map<string, unknown>();
const cache = {
  read: async (binary: string) => probed.get(binary),
  write: async (binary: string, result: unknown) => void probed.set(binary, result),
};

/** Ready anew for each test of the file; where the agent is left out, they are skipped. */
export function realProvider(provider: Provider, surroundings: Surroundings): RealProvider {
  const name = surroundings.agent ?? (provider.manifest.name as AgentName);
  const real = new RealProvider(provider, surroundings);
  beforeAll(async () => {
    const agents = await installAgents();
    const problem = agents.find((installed) => installed.agent === name)?.problem;
    if (problem) throw new Error(problem);
  });
  beforeEach(async (context) => {
    const reason = leftOut(name);
    if (reason) context.skip(reason);
    await real.open();
  });
  afterEach(() => real.close());
  return real;
}

export class RealProvider {
  readonly #provider: Provider;
  readonly #surroundings: Surroundings;
  folder = "";
  /** The agent's own. */
  home = "";
  /** Where it works. */
  work = "";
  server!: ModelServer;
  agent!: ProviderAgent;
  found!: Probe;

  constructor(provider: Provider, surroundings: Surroundings) {
    this.#provider = provider;
    this.#surroundings = surroundings;
  }

  async open(): Promise<void> {
    const { name } = this.#provider.manifest;
    const { startModelServer, makeHome, env } = this.#surroundings;
    const settings =
      this.#surroundings.settings ??
      ((home: string) => ({ home, binary: agentBinary(name as AgentName) }));
    this.folder = temporaryFolder(name);
    [this.home, this.work] = [join(this.folder, "home"), join(this.folder, "work")];
    for (const each of ["work", "tmp"]) mkdirSync(join(this.folder, each));
    this.server = await startModelServer();
    await makeHome?.(this.home, this.server);
    this.agent = {
      name: "coder",
      settings: settings(this.home),
      privateFolder: join(this.folder, "private"),
      env: {
        PATH: process.env.PATH ?? "",
        HOME: this.folder,
        TMPDIR: join(this.folder, "tmp"),
        ...env(this.server, this.home),
      },
    };
    this.found = await this.probe(this.agent);
  }

  async close(): Promise<void> {
    await this.server?.close();
    if (this.folder) rmSync(this.folder, { recursive: true, force: true });
  }

  probe(agent: ProviderAgent): Promise<Probe> {
    return this.#provider.probe(agent, { cache, timeout: patience, digest: hash });
  }

  /** Starts a new provider session, or resumes the one with this id. */
  readonly turn = async (
    prompt: string,
    id: string | null = null,
    options: TurnOptions = {},
  ): Promise<AgentTurn> => {
    const provider = this.#provider;
    const answers = options.answers ? join(this.folder, "answers.json") : null;
    if (answers) writeFileSync(answers, JSON.stringify(options.answers));
    const chooses = id === null && provider.manifest.ids === "caller";
    const { child, ended } = this.launch({
      agent: { ...this.agent, settings: { ...this.agent.settings, ...options.settings } },
      resume: id === null ? null : { id, place: await this.place() },
      newId: chooses ? randomUUID() : null,
      model: options.model ?? null,
      answers,
      ...(options.access && { access: options.access }),
      ...(options.env && { env: options.env }),
    });
    options.onLaunch?.(child);
    child.stdin.end(provider.escape?.(prompt) ?? prompt);
    const { code, stdout, stderr } = await ended;
    const reader = provider.reader();
    const events = [
      ...stdout.split("\n").flatMap((line) => reader.line(line)),
      ...reader.end({ code, stderr }),
    ];
    // It did not read its prompt: Reprise starts it again as well.
    if (events.some((event) => event.type === "failure" && event.failure.kind === "unsent"))
      return this.turn(prompt, id, options);
    return {
      events,
      code,
      id: events.find((event) => event.type === "session")?.id,
      answer: events.find((event) => event.type === "result")?.text,
    };
  };

  /** Starts the agent's program; what is not named is as in any turn. */
  launch({ env, ...request }: Launch): Launched {
    const { binary, runtime } = this.found;
    const usual = { agent: this.agent, binary, runtime, folder: this.work, model: null };
    const access = { ...bySettings, ...request.access };
    const command = this.#provider.command({ ...usual, ...request, access });
    const [program = "", ...args] = command.argv;
    // Files, as in a turn: gemini exits before a pipe has taken what it printed last.
    const output = temporaryFolder("output", this.folder);
    const [stdout, stderr] = [join(output, "stdout"), join(output, "stderr")];
    const [out, err] = [openSync(stdout, "w"), openSync(stderr, "w")];
    const child = spawn(program, args, {
      cwd: this.work,
      env: { ...this.agent.env, ...command.env, ...env },
      stdio: ["pipe", out, err],
    }) as Launched["child"];
    for (const file of [out, err]) closeSync(file);
    const ended = once(child, "close").then(([code]: (number | null)[]) => ({
      code: code ?? null,
      stdout: readFileSync(stdout, "utf8"),
      stderr: readFileSync(stderr, "utf8"),
    }));
    return { child, ended };
  }

  /** The folder that has the agent's sessions. */
  place(): Promise<string> {
    return this.#provider.place(this.agent, this.work);
  }

  readonly conversation = async (...prompts: string[]): Promise<Handle> => {
    let id: string | null = null;
    for (const prompt of prompts) id = (await this.turn(prompt, id)).id!;
    return { id: id!, place: await this.place() };
  };

  readonly history = async (handle: Handle): Promise<History> => {
    const seen = await this.#provider.observe(handle, hash);
    if (typeof seen === "string") throw new Error(seen);
    return seen;
  };

  /** What the model was sent last, without system messages. */
  readonly sent = (): string[] =>
    this.server.requests
      .at(-1)!
      .messages.filter(({ role }) => role !== "system")
      .map((message) => message.text);
}

/** Digest of the first `length` items of a history, or of all. */
export function end({ items }: History, length?: number) {
  return chain(
    items.map(({ digest }) => digest),
    hash,
    length,
  );
}

export function failure({ events }: AgentTurn) {
  return events.find((event) => event.type === "failure")?.failure;
}
