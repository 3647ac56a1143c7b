/** A contender as the bench has it: a process that is asked, one question at a time. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Answer, Ask } from "./contender.ts";

export class ContenderProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  #said = "";

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#child = child;
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#said = `${this.#said}${text}`.slice(-2_000);
    });
  }

  /** Starts `program` on this Node, `before` being the command that it is started through. */
  static async start(
    program: string,
    { before = [], flags = [] }: { before?: readonly string[]; flags?: readonly string[] } = {},
  ): Promise<ContenderProcess> {
    const [command, ...args] = [...before, process.execPath, ...flags, program];
    const child = spawn(command!, args, {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...process.env, NODE_ENV: "production" },
    });
    const started = new ContenderProcess(program, child);
    await started.#answer();
    return started;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async ask<Result>(verb: string, argument?: unknown): Promise<Result> {
    const answer = this.#answer();
    this.#child.send({ verb, argument } satisfies Ask);
    return (await answer) as Result;
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }

  #answer(): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const answered = (answer: Answer) =>
      "problem" in answer ? reject(new Error(answer.problem)) : resolve(answer.result);
    const gone = (code: number | null, signal: string | null) =>
      reject(new Error(`${this.#name} ended with ${code ?? signal}: ${this.#said}`));
    this.#child.on("message", answered).on("exit", gone).on("error", reject);
    return promise.finally(() => {
      this.#child.off("message", answered).off("exit", gone).off("error", reject);
    });
  }
}
