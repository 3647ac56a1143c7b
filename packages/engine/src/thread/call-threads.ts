/**
 * Threads for work that may take long or never end, each with one call at a time. A call that does not
 * end in time, or is cancelled, is ended with its thread; no other call is touched by it, and neither is
 * what goes on in the process meanwhile.
 */

import { existsSync } from "node:fs";
import { type ResourceLimits, Worker } from "node:worker_threads";

export interface ThreadCallOptions {
  /** Milliseconds, from when the thread has begun with it. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

export interface ThreadsOptions {
  /** Program of the threads, which answers by `answerCalls`: beside the bundle, or as source. */
  readonly host: URL;
  /** More calls at a time wait. */
  readonly maxThreads: number;
  readonly limits: ResourceLimits;
  /** The error of a call that was not done in time. */
  readonly late: (timeout: number) => Error;
  /** The error of a call whose thread ended by itself: it had no memory left, or was broken by the call. */
  readonly crashed: () => Error;
}

interface Pending<Call, Answer> extends ThreadCallOptions {
  readonly call: Call;
  readonly done: (answer: Answer) => void;
  readonly failed: (error: Error) => void;
}

/** What a thread says: that it begins with the call, then what came of it. */
export type Said<Answer> = { readonly begun: true } | { readonly answer: Answer };

export class CallThreads<Call, Answer> {
  readonly #options: ThreadsOptions;
  /** A thread that has nothing to do: one is kept for the next call. */
  #idle: Worker | null = null;
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
    for (const thread of [...this.#busy, this.#idle]) void thread?.terminate();
  }

  #next(): void {
    while (this.#busy.size < this.#options.maxThreads) {
      const pending = this.#waiting.shift();
      if (!pending) return;
      this.#begin(pending);
    }
  }

  /** Cancelled before it has begun; once it has, it is ended with its thread. */
  #drop(pending: Pending<Call, Answer>): void {
    if (!this.#waiting.includes(pending)) return;
    this.#waiting = this.#waiting.filter((each) => each !== pending);
    pending.failed(pending.signal?.reason);
  }

  #begin({ call, timeout, signal, done, failed }: Pending<Call, Answer>): void {
    const { late, crashed } = this.#options;
    const thread = this.#idle ?? this.#newThread();
    this.#idle = null;
    this.#busy.add(thread);
    thread.ref();
    let timer: NodeJS.Timeout | undefined;
    const end = (settle: () => void, isWell: boolean) => {
      if (!this.#busy.delete(thread)) return;
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      thread.off("message", heard).off("exit", ended);
      if (isWell) this.#keep(thread);
      else void thread.terminate();
      settle();
      this.#next();
    };
    const cancel = () => end(() => failed(signal?.reason), false);
    signal?.addEventListener("abort", cancel);
    const heard = (said: Said<Answer>) => {
      if ("answer" in said) return end(() => done(said.answer), true);
      timer = setTimeout(() => end(() => failed(late(timeout)), false), timeout);
    };
    const ended = () => end(() => failed(crashed()), false);
    thread.on("message", heard).on("exit", ended);
    thread.postMessage(call);
  }

  #keep(thread: Worker): void {
    if (this.#idle) return void thread.terminate();
    this.#idle = thread;
    // One without a call does not keep the program from ending.
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
    // Whatever it was, its end follows.
    thread.on("error", () => {});
    // One that ends while it is idle is not taken for the next call.
    thread.on("exit", () => {
      if (this.#idle === thread) this.#idle = null;
    });
    return thread;
  }
}
