/**
 * Threads for functions that take long, each with one call at a time. A call that does not end in time,
 * or is cancelled, is ended with its thread; whoever else waits is not touched by it.
 */

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { TerminalError, TimedOutError } from "@reprise/core/errors/errors";
import type { FunctionCall } from "./function-host.ts";
import type { Answer } from "./function-realm.ts";

export interface CallOptions {
  /** Milliseconds, from when it is begun. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

interface Pending extends FunctionCall, CallOptions {
  readonly done: (answer: Answer) => void;
  readonly failed: (error: Error) => void;
}

/** More at a time would take the processor from each other; what comes then waits. */
const mostThreads = Math.max(2, availableParallelism());

export class FunctionThreads {
  /** A thread that has nothing to do: one is kept for the next call. */
  #idle: Worker | null = null;
  readonly #busy = new Set<Worker>();
  #waiting: Pending[] = [];

  call(code: string, inputs: string, options: CallOptions): Promise<Answer> {
    return new Promise<Answer>((done, failed) => {
      const { signal } = options;
      if (signal?.aborted) return failed(signal.reason);
      const call = { code, inputs, ...options, done, failed };
      signal?.addEventListener("abort", () => this.#drop(call), { once: true });
      this.#waiting.push(call);
      this.#next();
    });
  }

  close(): void {
    for (const thread of [...this.#busy, this.#idle]) void thread?.terminate();
  }

  #next(): void {
    while (this.#busy.size < mostThreads) {
      const call = this.#waiting.shift();
      if (!call) return;
      this.#begin(call);
    }
  }

  /** Cancelled before it has begun; once it has, it is ended with its thread. */
  #drop(call: Pending): void {
    if (!this.#waiting.includes(call)) return;
    this.#waiting = this.#waiting.filter((each) => each !== call);
    call.failed(call.signal?.reason);
  }

  #begin({ code, inputs, timeout, signal, done, failed }: Pending): void {
    const thread = this.#idle ?? newThread();
    this.#idle = null;
    this.#busy.add(thread);
    thread.ref();
    const end = (settle: () => void, isWell: boolean) => {
      if (!this.#busy.delete(thread)) return;
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      thread.removeAllListeners("message").removeAllListeners("exit");
      if (isWell) this.#keep(thread);
      else void thread.terminate();
      settle();
      this.#next();
    };
    const timer = setTimeout(() => end(() => failed(late(timeout)), false), timeout);
    const cancel = () => end(() => failed(signal?.reason), false);
    signal?.addEventListener("abort", cancel);
    thread.once("message", (answer: Answer) => end(() => done(answer), true));
    thread.once("exit", () => end(() => failed(crashed()), false));
    thread.postMessage({ code, inputs } satisfies FunctionCall);
  }

  #keep(thread: Worker): void {
    if (this.#idle) return void thread.terminate();
    this.#idle = thread;
    // One that nobody waits for does not keep the program from ending.
    thread.unref();
  }
}

function newThread(): Worker {
  const thread = new Worker(hostProgram(), {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: 16 },
  });
  // Whatever it was, its end follows.
  thread.on("error", () => {});
  return thread;
}

function late(timeout: number): TimedOutError {
  return new TimedOutError(
    "timed-out",
    `The function did not end within ${timeout} ms.`,
    "Give the node a longer timeout, or mend its code.",
  );
}

function crashed(): TerminalError {
  return new TerminalError(
    "function-crashed",
    "The function brought down the thread that it ran in.",
    "Mend its code.",
  );
}

/** Beside the bundle, or as source. */
function hostProgram(): URL {
  const bundled = new URL("./function-host.js", import.meta.url);
  return existsSync(bundled) ? bundled : new URL("./function-host.ts", import.meta.url);
}
