/** A home, a work folder and an agent of one provider, for one check of the provider suite. */

import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Reprise, TurnResult } from "@reprise/core/api/reprise";
import type { Access } from "@reprise/core/session/access";
import type { Handle } from "@reprise/core/session/pin";
import { openReprise } from "@reprise/engine/open-reprise";
import type {
  AgentEvent,
  LaunchAccess,
  Probe,
  Provider,
  ProviderAgent,
} from "@reprise/providers/provider";
import { builtInProviders } from "@reprise/providers/registry";

export interface TrialOptions {
  readonly provider: Provider;
  /** Settings of the agent. A path setting that every check needs for itself can be a function of a new folder. */
  readonly settings: (folder: string) => Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly access: Access;
}

const agentName = "tested";
/** Milliseconds; a probe that takes longer is broken. */
const probeTimeout = 30_000;

export const sha256 = (words: string) => createHash("sha256").update(words).digest("hex");

export class Trial implements AsyncDisposable {
  readonly root = mkdtempSync(join(realpathSync(tmpdir()), "reprise-suite-"));
  readonly folder = this.newFolder("work");
  readonly agent: ProviderAgent;
  readonly #options: TrialOptions;
  #reprise: Reprise | null = null;

  constructor(options: TrialOptions) {
    this.#options = options;
    this.agent = {
      name: agentName,
      settings: options.settings(this.newFolder("agent")),
      privateFolder: join(this.root, "home", "agents", agentName),
      env: {
        PATH: process.env.PATH ?? "",
        HOME: this.newFolder("user"),
        ...options.env,
      },
    };
  }

  newFolder(name: string): string {
    const folder = join(this.root, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reprise?.close();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Reprise with the agent, opened anew: nothing is left in memory. */
  async open(): Promise<Reprise> {
    await this.#reprise?.close();
    const { provider, access } = this.#options;
    const reprise = await openReprise({
      home: join(this.root, "home"),
      cwd: this.folder,
      env: this.agent.env,
      providers: isBuiltIn(provider) ? [] : [provider],
    });
    this.#reprise = reprise;
    const known = await reprise.agents.list();
    if (known.length === 0)
      await reprise.agents.create({
        name: agentName,
        provider: provider.manifest.name,
        settings: { ...this.agent.settings },
        access,
      });
    return reprise;
  }

  /** One turn of the session `key`, by a Reprise that was opened for it. */
  async send(prompt: string, key = "suite"): Promise<TurnResult> {
    const reprise = await this.open();
    return reprise.sessions.send({ key, agent: agentName, prompt });
  }

  /** Where the provider keeps the session `key`. */
  async handle(key = "suite"): Promise<Handle> {
    const reprise = this.#reprise ?? (await this.open());
    const [pin] = (await reprise.sessions.show(key)).pins;
    if (!pin) throw new Error(`The session ${key} has no pin: its first turn was not confirmed.`);
    const { provider } = this.#options;
    return { id: pin.handle, place: await provider.place(this.agent, this.folder) };
  }

  probe(): Promise<Probe> {
    const known = new Map<string, unknown>();
    return this.#options.provider.probe(this.agent, {
      cache: {
        read: async (binary) => known.get(binary) ?? null,
        write: async (binary, result) => void known.set(binary, result),
      },
      timeout: probeTimeout,
      digest: sha256,
    });
  }

  /** The command line of a turn, as the provider makes it. */
  async command(resume: Handle | null, level = this.#options.access) {
    const { provider } = this.#options;
    const { binary, runtime, sandbox = false } = await this.probe();
    const access: LaunchAccess = {
      level,
      named: true,
      allowedCommands: [],
      asks: false,
      hidden: [],
      readable: [],
      sandbox,
    };
    return provider.command({
      agent: this.agent,
      binary,
      runtime,
      resume,
      newId: resume === null && provider.manifest.ids === "caller" ? randomUUID() : null,
      folder: this.folder,
      model: null,
      access,
    });
  }

  /** Launches a turn as the provider says, with nothing of the engine in between. */
  async launch(resume: Handle | null, prompt: string): Promise<AgentEvent[]> {
    const { argv, env } = await this.command(resume);
    const [file = "", ...args] = argv;
    const child = spawn(file, args, { cwd: this.folder, env: { ...this.agent.env, ...env } });
    child.stdin.on("error", () => {}).end(prompt);
    const closed = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const reader = this.#options.provider.reader();
    const lines = stdout.split("\n").filter((line) => line !== "");
    return [
      ...lines.flatMap((line) => reader.line(line)),
      ...reader.end({ code: await closed, stderr }),
    ];
  }
}

/** Reprise has these already, so they are not added once more. */
function isBuiltIn(provider: Provider): boolean {
  return builtInProviders.includes(provider);
}
