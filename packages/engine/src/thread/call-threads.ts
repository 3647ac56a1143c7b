/**
 * Threads for work that may take long or never end, each with one call at a time. A call that times out or
 * is cancelled is ended together with its thread, without effect on other calls or on the process.
 */

import { existsSync } from "node:fs";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { startTimer } from "../long-timer.ts";

export interface ThreadCallOptions {
  /** Milliseconds, from when the thread begins the call. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

export interface ThreadsOptions {
  /** The program of the threads, which uses `answerCalls`: next to the bundle, or as source. */
  readonly host: URL;
  /** Further calls wait. */
  readonly maxThreads: number;
  /** The number of idle threads that are kept for the next calls; 1 by default. */
  readonly maxIdle?: number;
  readonly limits: ResourceLimits;
  /** The error of a call that timed out. */
  readonly late: (timeout: number) => Error;
  /** The error of a call whose thread ended by itself: it ran out of memory or crashed. */
  readonly crashed: () => Error;
}

interface Pending<Call, Answer> extends ThreadCallOptions {
  readonly call: Call;
  readonly done: (answer: Answer) => void;
  readonly failed: (error: Error) => void;
}

/** A thread's messages: `ready` once, then the answer to each call. */
export type ThreadMessage<Answer> = "ready" | { readonly answer: Answer };

export class CallThreads<Call, Answer> {
  readonly #options: ThreadsOptions;
  /** They are ready. */
  readonly #idle: Worker[] = [];
  readonly #busy = new Set<Worker>();
  #waiting: Pending<Call, Answer>[] = [];

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  call(call: Call, options: ThreadCallOptions): Promise<Answer> {
    return new Promise<Answer>((done, failed) => {
      const { signal } = options;
      if (signal?.aborted) return failed(signal.reason);
      const pending = { call, ...options, done, failed };
      signal?.addEventListener("abort", () => this.#drop(pending), { once: true });
      this.#waiting.push(pending);
      this.#next();
    });
  }

  close(): void {
    for (const thread of [...this.#busy, ...this.#idle]) void thread.terminate();
  }

  #next(): void {
    while (this.#busy.size < this.#options.maxThreads) {
      const pending = this.#waiting.shift();
      if (!pending) return;
      this.#begin(pending);
    }
  }

  /** Cancels a call that has not begun; one that has is ended together with its thread. */
  #drop(pending: Pending<Call, Answer>): void {
    if (!this.#waiting.includes(pending)) return;
    this.#waiting = this.#waiting.filter((each) => each !== pending);
    pending.failed(pending.signal?.reason);
  }

  #begin({ call, timeout, signal, done, failed }: Pending<Call, Answer>): void {
    const { late, crashed } = this.#options;
    const idle = this.#idle.pop();
    const thread = idle ?? this.#newThread();
    this.#busy.add(thread);
    thread.ref();
    const limit = () => startTimer(timeout, () => end(() => failed(late(timeout)), false));
    const end = (settle: () => void, isWell: boolean) => {
      if (!this.#busy.delete(thread)) return;
      stopTimer?.();
      signal?.removeEventListener("abort", cancel);
      thread.off("message", heard).off("exit", ended);
      if (isWell) this.#keep(thread);
      else void thread.terminate();
      settle();
      this.#next();
    };
    const cancel = () => end(() => failed(signal?.reason), false);
    signal?.addEventListener("abort", cancel);
    const heard = (message: ThreadMessage<Answer>) => {
      if (message === "ready") stopTimer = limit();
      else end(() => done(message.answer), true);
    };
    const ended = () => end(() => failed(crashed()), false);
    let stopTimer = idle ? limit() : undefined;
    thread.on("message", heard).on("exit", ended);
    thread.postMessage(call);
  }

  #keep(thread: Worker): void {
    if (this.#idle.length >= (this.#options.maxIdle ?? 1)) return void thread.terminate();
    this.#idle.push(thread);
    // An idle thread must not keep the process alive.
    thread.unref();
  }

  #newThread(): Worker {
    const { host, limits } = this.#options;
    const program = existsSync(host) ? host : new URL(host.href.replace(/\.js$/, ".ts"));
    const thread = new Worker(program, {
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: limits,
    });
    // The exit event follows and is handled there.
    thread.on("error", () => {});
    // Do not use a thread for the next call that ended while idle.
    thread.on("exit", () => {
      const index = this.#idle.indexOf(thread);
      if (index >= 0) this.#idle.splice(index, 1);
    });
    return thread;
  }
}
