/**
 * The real OpenClaw, pinned by the lockfile of this folder, with a gateway and a state folder of its own. It takes 650 MB,
 * so it is installed and tested only if `REPRISE_TEST_AGENTS` names it (`REPRISE_TEST_AGENTS=openclaw`).
 */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { installPinned } from "../../scripts/pinned-folder.ts";
import { freePort } from "../docs/free-port.ts";
import { until } from "../until.ts";

const run = promisify(execFile);
const folder = import.meta.dirname;
const program = join(folder, "node_modules/openclaw/openclaw.mjs");

/** Why it is not tested; null when it is. */
export function openClawLeftOut(): string | null {
  const wanted = process.env.REPRISE_TEST_AGENTS?.split(",").map((name) => name.trim()) ?? [];
  return wanted.includes("openclaw") ? null : "REPRISE_TEST_AGENTS does not name openclaw (650 MB)";
}

export interface OpenClawOptions {
  /** Everything of it is in this folder. */
  readonly root: string;
  /** Address of a model server with the Chat Completions API. */
  readonly model: string;
  readonly env: Readonly<Record<string, string>>;
}

export class OpenClaw {
  readonly #port: number;
  readonly #root: string;
  readonly #env: Readonly<Record<string, string>>;
  #gateway: ChildProcess | null = null;

  private constructor(port: number, { root, env }: OpenClawOptions) {
    this.#port = port;
    this.#root = root;
    this.#env = {
      ...env,
      HOME: join(root, "user"),
      TMPDIR: join(root, "tmp"),
      OPENCLAW_STATE_DIR: join(root, "state"),
      OPENCLAW_CONFIG_PATH: join(root, "openclaw.json"),
      OPENCLAW_GATEWAY_TOKEN: "token",
    };
  }

  /** Installs it if it is not there, and configures it. */
  static async configure(options: OpenClawOptions): Promise<OpenClaw> {
    const problem = await installPinned(folder);
    if (problem !== null) throw new Error(problem);
    const port = await freePort();
    const { root, model } = options;
    for (const name of ["user", "tmp", "state", "workspace"]) mkdirSync(join(root, name));
    const fake = { id: "fake-1", name: "Fake", contextWindow: 200_000, maxTokens: 8192 };
    const provider = { baseUrl: `${model}/v1`, apiKey: "any", api: "openai-completions" };
    const config = {
      gateway: { mode: "local", bind: "loopback", port, auth: { mode: "token", token: "token" } },
      agents: {
        defaults: {
          workspace: join(root, "workspace"),
          skipBootstrap: true,
          model: { primary: "fake/fake-1" },
        },
      },
      models: { mode: "replace", providers: { fake: { ...provider, models: [fake] } } },
    };
    writeFileSync(join(root, "openclaw.json"), JSON.stringify(config));
    return new OpenClaw(port, options);
  }

  get workspace(): string {
    return join(this.#root, "workspace");
  }

  /** `openclaw …`; what it prints. */
  async run(...args: string[]): Promise<string> {
    const options = { env: this.#env, cwd: this.workspace };
    const { stdout } = await run(process.execPath, [program, ...args], options);
    return stdout;
  }

  /** Resolves when it can take turns. */
  async startGateway(): Promise<void> {
    const log = join(this.#root, "gateway.log");
    const output = openSync(log, "w");
    const args = [program, "gateway", "run", "--port", String(this.#port), "--bind", "loopback"];
    const gateway = spawn(process.execPath, args, {
      env: this.#env,
      cwd: this.workspace,
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    this.#gateway = gateway;
    await until(() => {
      const printed = stripVTControlCharacters(readFileSync(log, "utf8"));
      if (gateway.exitCode !== null) throw new Error(`The gateway ended:\n${printed}`);
      return /\[gateway\] ready$/m.test(printed);
    }, "the gateway is ready");
  }

  async stop(): Promise<void> {
    const gateway = this.#gateway;
    if (gateway === null || gateway.exitCode !== null) return;
    const ended = once(gateway, "exit");
    gateway.kill("SIGTERM");
    await ended;
  }
}
