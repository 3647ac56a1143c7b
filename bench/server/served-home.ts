/** A home with a server of its own: the program itself, as a process whose memory can be asked for. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import type { Memory } from "./memory.ts";

const program = path.join(import.meta.dirname, "../../bin/reprise.cjs");
const memory = pathToFileURL(path.join(import.meta.dirname, "memory.ts")).href;

export class ServedHome implements AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly #home: string;
  readonly #child: ChildProcess;
  readonly #log: Promise<string>;

  private constructor(home: string, child: ChildProcess, url: string) {
    this.#home = home;
    this.#child = child;
    this.#log = text(child.stderr!);
    this.url = url;
    this.token = readFileSync(path.join(home, "token"), "utf8").trim();
  }

  /** Only what should not be is logged. */
  static async start(folder: string): Promise<ServedHome> {
    const home = path.join(folder, "home");
    const flags = ["--expose-gc", "--import", memory];
    const command = ["up", "--home", home, "--port", "0", "--log-level", "warn"];
    const child = spawn(process.execPath, [...flags, program, ...command], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const failed = once(child, "exit").then(async () => {
      throw new Error(`The server did not start: ${await text(child.stderr!)}`);
    });
    const [line] = await Promise.race([once(child.stdout!.setEncoding("utf8"), "data"), failed]);
    failed.catch(() => {});
    return new ServedHome(home, child, String(line).trim());
  }

  async memory(): Promise<Memory> {
    const answered = once(this.#child, "message");
    this.#child.send("memory");
    return (await answered)[0] as Memory;
  }

  /** The numbers of all events, from the database itself. */
  events(): number[] {
    using database = new DatabaseSync(path.join(this.#home, "reprise.db"), { readOnly: true });
    return database
      .prepare("SELECT seq FROM event ORDER BY seq")
      .all()
      .map(({ seq }) => Number(seq));
  }

  /** Stops it; gives what it logged. */
  async stop(): Promise<string> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await ended;
    }
    return this.#log;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
