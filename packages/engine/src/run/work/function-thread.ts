/**
 * A thread for functions that take long, kept for as long as it behaves. A call that does not end in
 * time, or brings the thread down, costs only itself: functions have no effects, so what else was under
 * way is simply called again in the next thread.
 */

import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { TerminalError, TimedOutError } from "@reprise/core/errors/errors";
import type { FunctionCall, FunctionResult } from "./function-host.ts";
import type { Answer } from "./function-realm.ts";

export interface CallOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

interface Pending extends FunctionCall {
  readonly done: (answer: Answer) => void;
  readonly failed: (error: Error) => void;
  readonly timeout: number;
  timer: NodeJS.Timeout | null;
  /** It was there when a thread went down: it is called alone, and only once more. */
  suspect: boolean;
}

export class FunctionThread {
  #thread: Worker | null = null;
  /** In the thread's hands. */
  readonly #running = new Map<number, Pending>();
  #waiting: Pending[] = [];
  /** They come before those that wait, each when nothing else runs. */
  #suspects: Pending[] = [];
  #last = 0;

  call(code: string, inputs: string, { timeout, signal }: CallOptions): Promise<Answer> {
    return new Promise<Answer>((done, failed) => {
      if (signal?.aborted) return failed(signal.reason);
      this.#last += 1;
      const call = {
        ...{ id: this.#last, code, inputs },
        ...{ done, failed, timeout, timer: null, suspect: false },
      };
      signal?.addEventListener("abort", () => this.#abort(call, signal.reason), { once: true });
      this.#waiting.push(call);
      this.#next();
    });
  }

  close(): void {
    void this.#thread?.terminate();
  }

  #next(): void {
    if (this.#suspects.length === 0) for (const call of this.#waiting.splice(0)) this.#send(call);
    else if (this.#running.size === 0) this.#send(this.#suspects[0]!);
  }

  #send(call: Pending): void {
    this.#thread ??= this.#start();
    this.#thread.ref();
    this.#running.set(call.id, call);
    call.timer = setTimeout(() => this.#expire(call), call.timeout);
    const { id, code, inputs } = call;
    this.#thread.postMessage({ id, code, inputs } satisfies FunctionCall);
  }

  #start(): Worker {
    const thread = new Worker(hostProgram(), {
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { stackSizeMb: 16 },
    });
    thread.on("message", (result: FunctionResult) => this.#take(result));
    // Whatever it was, its end follows.
    thread.on("error", () => {});
    thread.once("exit", () => this.#lost(thread));
    return thread;
  }

  #take(result: FunctionResult): void {
    const call = this.#running.get(result.id);
    if (!call) return;
    this.#settle(call);
    call.done(result);
    this.#next();
  }

  #settle(call: Pending): void {
    if (call.timer) clearTimeout(call.timer);
    this.#running.delete(call.id);
    if (call.suspect) this.#suspects = this.#suspects.filter((each) => each !== call);
    // A thread that nobody waits for does not keep the program from ending.
    if (this.#running.size === 0) this.#thread?.unref();
  }

  #expire(call: Pending): void {
    this.#settle(call);
    call.failed(
      new TimedOutError(
        "timed-out",
        `The function did not end within ${call.timeout} ms.`,
        "Give the node a longer timeout, or mend its code.",
      ),
    );
    this.close();
  }

  #abort(call: Pending, reason: unknown): void {
    const sent = this.#running.has(call.id);
    this.#settle(call);
    this.#waiting = this.#waiting.filter((each) => each !== call);
    call.failed(reason as Error);
    // It may run for ever, and nobody waits for it any more.
    if (sent) this.close();
  }

  #lost(thread: Worker): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    for (const call of [...this.#running.values()]) {
      this.#settle(call);
      if (call.suspect) call.failed(crashed());
      else this.#suspects.push(Object.assign(call, { suspect: true }));
    }
    this.#next();
  }
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
