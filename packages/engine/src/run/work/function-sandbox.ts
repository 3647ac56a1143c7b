/**
 * The thread in which the code of function nodes runs, kept for as long as it behaves. A call that does
 * not end in time, or brings the thread down, costs only itself: functions have no effects, so what else
 * was under way is simply called again in the next thread.
 */

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { TerminalError, TimedOutError } from "@reprise/core/errors/errors";
import type { Values } from "@reprise/core/workflow/run/event";
import type { FunctionCall, FunctionResult, HostData } from "./function-host.ts";

export interface CallOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

interface Pending extends FunctionCall, CallOptions {
  readonly done: (outputs: Values) => void;
  readonly failed: (error: Error) => void;
  /** It was there when a host went down: it is called alone, and only once more. */
  suspect: boolean;
  /** Nobody looks any more whether it takes too long, or is cancelled. */
  unwatch: (() => void) | null;
}

interface Host {
  readonly thread: Worker;
  readonly port: MessagePort;
  readonly bell: Int32Array;
  /** It has answered before. */
  ready: boolean;
}

/**
 * Milliseconds. Waking a thread takes longer than most calls do: for a moment the answer is waited for,
 * and the next call too, if there is a processor to spare.
 */
const spare = availableParallelism() > 1;
const waitedFor = spare ? 0.1 : 0;
const awake = spare ? 0.3 : 0;

export class FunctionSandbox {
  #host: Host | null = null;
  /** In the host's hands. */
  readonly #running = new Map<number, Pending>();
  #waiting: Pending[] = [];
  /** They come before those that wait, each when nothing else runs. */
  #suspects: Pending[] = [];
  /** What the host is to be told at the end of this turn: many runs take a step at once. */
  #outbox: Pending[] = [];
  #last = 0;

  call(code: string, inputs: Values, options: CallOptions): Promise<Values> {
    return new Promise<Values>((done, failed) => {
      this.#last += 1;
      const call = { id: this.#last, code, inputs: JSON.stringify(inputs), ...options };
      this.#waiting.push({ ...call, done, failed, suspect: false, unwatch: null });
      this.#next();
    });
  }

  close(): void {
    void this.#host?.thread.terminate();
  }

  #next(): void {
    if (this.#suspects.length === 0) for (const call of this.#waiting.splice(0)) this.#send(call);
    else if (this.#running.size === 0) this.#send(this.#suspects[0]!);
  }

  #send(call: Pending): void {
    this.#running.set(call.id, call);
    this.#outbox.push(call);
    if (this.#outbox.length === 1) process.nextTick(() => this.#post());
  }

  #post(): void {
    const calls = this.#outbox.splice(0);
    this.#host ??= this.#start();
    const { port, bell, ready } = this.#host;
    const answers = Atomics.load(bell, 1);
    port.postMessage(calls.map(({ id, code, inputs }): FunctionCall => ({ id, code, inputs })));
    Atomics.add(bell, 0, 1);
    Atomics.notify(bell, 0);
    if (ready && this.#running.size === 1 && rings(bell, answers)) this.#collect(port);
    for (const call of calls) if (this.#running.has(call.id)) this.#watch(call);
  }

  /** It is not over at once: from now on it may be late, or cancelled. */
  #watch(call: Pending): void {
    const { timeout, signal } = call;
    if (this.#host) hold(this.#host, true);
    const timer = setTimeout(() => this.#giveUp(call, late(timeout)), timeout);
    const cancel = () => this.#giveUp(call, signal?.reason);
    call.unwatch = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    };
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
  }

  #start(): Host {
    const { port1, port2 } = new MessageChannel();
    const bell = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
    const thread = new Worker(hostProgram(), {
      workerData: { port: port2, bell, awake } satisfies HostData,
      transferList: [port2],
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { stackSizeMb: 16 },
    });
    const host = { thread, port: port1, bell, ready: false };
    port1.on("message", (result: FunctionResult) => {
      host.ready = true;
      this.#take(result);
      this.#collect(port1);
    });
    // Whatever it was, its end follows.
    thread.on("error", () => {});
    thread.once("exit", () => this.#lost(host));
    return host;
  }

  #collect(port: MessagePort): void {
    for (let posted = receiveMessageOnPort(port); posted; posted = receiveMessageOnPort(port))
      this.#take(posted.message);
  }

  #take(result: FunctionResult): void {
    const call = this.#running.get(result.id);
    if (!call) return;
    this.#settle(call);
    if ("outputs" in result) call.done(JSON.parse(result.outputs) as Values);
    else
      call.failed(
        new TerminalError(
          "function-failed",
          `The function failed: ${result.error}`,
          "Mend its code.",
        ),
      );
    this.#next();
  }

  #settle(call: Pending): void {
    call.unwatch?.();
    this.#running.delete(call.id);
    if (call.suspect) this.#suspects = this.#suspects.filter((each) => each !== call);
    if (this.#host && this.#running.size === 0) hold(this.#host, false);
  }

  /** It may run for ever: only with its thread can it be ended. */
  #giveUp(call: Pending, reason: unknown): void {
    this.#settle(call);
    call.failed(reason as Error);
    this.close();
  }

  #lost(host: Host): void {
    host.port.close();
    this.#host = null;
    for (const call of [...this.#running.values()]) {
      this.#settle(call);
      if (call.suspect) call.failed(crashed());
      else this.#suspects.push(Object.assign(call, { suspect: true }));
    }
    this.#next();
  }
}

/** Waits for an answer as long as it would take to sleep and be woken. */
function rings(bell: Int32Array, answers: number): boolean {
  const until = performance.now() + waitedFor;
  while (performance.now() < until) if (Atomics.load(bell, 1) !== answers) return true;
  return false;
}

/** A host that nobody waits for does not keep the program from ending. */
function hold({ thread, port }: Host, held: boolean): void {
  for (const part of [thread, port])
    if (held) part.ref();
    else part.unref();
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
