/** A server of a home of its own, as a process: to be asked, killed and started again. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { EventView } from "@reprise/core/api/reprise";
import type { Role } from "@reprise/core/api/role";
import { setPassphrase } from "@reprise/engine/inbox/passphrase";
import { openEngine } from "@reprise/engine/open-reprise";
import { createToken } from "@reprise/engine/tokens";
import { temporaryFolder } from "../temporary-folder.ts";

export class Server implements AsyncDisposable {
  readonly folder = temporaryFolder("page");
  readonly home = join(this.folder, "home");
  readonly #page: string;
  #child: ChildProcess | null = null;
  url = "";
  token = "";

  private constructor(page: string) {
    this.#page = page;
    mkdirSync(join(this.folder, "work"));
  }

  static async start(page: string): Promise<Server> {
    const server = new Server(page);
    await server.start();
    return server;
  }

  /** On the port that it had, so that a page finds it again. */
  async start(): Promise<void> {
    const port = this.url === "" ? "0" : new URL(this.url).port;
    const program = join(import.meta.dirname, "serve.ts");
    const child = spawn(process.execPath, [program, this.home, port, this.#page], {
      cwd: join(this.folder, "work"),
      // Sessions of the programs of the user who runs the tests are not its own.
      env: {
        ...process.env,
        HOME: this.folder,
        CLAUDE_CONFIG_DIR: "",
        CODEX_HOME: "",
        GEMINI_CLI_HOME: "",
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    const [line] = await Promise.race([
      once(lines, "line"),
      once(child, "exit").then(([code]) => {
        throw new Error(`The server ended with ${code} before it served.`);
      }),
    ]);
    Object.assign(this, JSON.parse(line));
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came.
  async ask(path: string, body?: object): Promise<any> {
    const response = await this.#fetch(path, body);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  }

  /** Starts a workflow; answers as soon as it is written. */
  async startRun(id: string, source: string): Promise<void> {
    await this.ask("/v1/runs?wait=0", { id, source });
  }

  /** Sets a passphrase that gates can ask for. */
  async passphrase(name: string, passphrase: string): Promise<void> {
    const { engine, reprise } = await openEngine({ home: this.home });
    await setPassphrase(engine, { name, passphrase, current: null, by: "ann" });
    await reprise.close();
  }

  /** A further token of the home. */
  async createToken(name: string, role: Role): Promise<string> {
    const { engine, reprise } = await openEngine({ home: this.home });
    const { token } = await createToken(engine.store, { name, role, at: Date.now() });
    await reprise.close();
    return token;
  }

  async revokeToken(name: string): Promise<void> {
    const { engine, reprise } = await openEngine({ home: this.home });
    await engine.store.revokeToken({ name, at: Date.now() });
    await reprise.close();
  }

  /** An agent that asks a question before it answers. */
  async createAsking(name: string, question: string): Promise<void> {
    const script = join(this.folder, `${name}.json`);
    const rules = [{ when: { prompt: "choose" }, times: 1, do: [{ ask: question }] }];
    writeFileSync(script, JSON.stringify({ rules }));
    await this.ask("/v1/agents", { name, provider: "scripted", settings: { script } });
  }

  /** What the log has of a run. */
  async eventsOf(run: string): Promise<EventView[]> {
    const response = await this.#fetch(`/v1/runs/${run}/events?after=0&follow=false`);
    const lines = (await response.text()).split("\n");
    return lines.flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []));
  }

  #fetch(path: string, body?: object): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
