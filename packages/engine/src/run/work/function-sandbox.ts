/**
 * The thread in which the code of function nodes runs, kept for as long as it behaves. A call that does
 * not end in time, or brings the thread down, costs only itself: functions have no effects, so what else
 * was under way is simply called again in the next thread.
 */

import { existsSync } from "node:fs";
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { TerminalError, TimedOutError } from "@reprise/core/errors/errors";
import type { Values } from "@reprise/core/workflow/run/event";
import type { FunctionCall, FunctionResult, HostData } from "./function-host.ts";
import { Patience } from "./patience.ts";

export interface CallOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

interface Pending extends FunctionCall {
  readonly options: CallOptions;
  readonly done: (outputs: Values) => void;
  readonly failed: (error: Error) => void;
  /** When it is too late, by the clock of this process. */
  end: number;
  /** It was there when a host went down: it is called alone, and only once more. */
  suspect: boolean;
}

interface Host {
  readonly thread: Worker;
  readonly port: MessagePort;
  readonly bell: Int32Array;
  /** It has answered before. */
  ready: boolean;
}

/** Milliseconds from one look at what is late or cancelled to the next. */
const pause = 50;

export class FunctionSandbox {
  #host: Host | null = null;
  /** In the host's hands. */
  readonly #running = new Map<number, Pending>();
  #waiting: Pending[] = [];
  /** They come before those that wait, each when nothing else runs. */
  #suspects: Pending[] = [];
  /** What the host is to be told at the end of this turn: many runs take a step at once. */
  #outbox: Pending[] = [];
  #looking: NodeJS.Timeout | null = null;
  readonly #patience = new Patience(0.1);
  #last = 0;

  call(code: string, inputs: Values, options: CallOptions): Promise<Values> {
    return new Promise<Values>((done, failed) => {
      this.#last += 1;
      const call = { id: this.#last, code, inputs: JSON.stringify(inputs) };
      this.#waiting.push({ ...call, options, done, failed, end: 0, suspect: false });
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
    // One that is called alone is waited for; of many, the first may wait for the last.
    const isAlone = ready && this.#running.size === 1;
    if (isAlone && this.#patience.for(() => Atomics.load(bell, 1) !== answers)) this.#collect(port);
    const now = performance.now();
    for (const call of calls) call.end = now + call.options.timeout;
    this.#hold();
  }

  /** Looks after what runs, and keeps the program from ending meanwhile; a host alone does not. */
  #hold(): void {
    const held = this.#running.size > 0;
    if (held === (this.#looking !== null)) return;
    if (this.#looking) clearInterval(this.#looking);
    this.#looking = held ? setInterval(() => this.#look(), pause) : null;
  }

  #look(): void {
    const now = performance.now();
    for (const call of this.#running.values()) {
      const { timeout, signal } = call.options;
      if (signal?.aborted) this.#giveUp(call, signal.reason);
      else if (now > call.end) this.#giveUp(call, late(timeout));
    }
    for (const { options, failed } of this.#waiting)
      if (options.signal?.aborted) failed(options.signal.reason);
    this.#waiting = this.#waiting.filter(({ options }) => !options.signal?.aborted);
  }

  #start(): Host {
    const { port1, port2 } = new MessageChannel();
    const bell = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
    const thread = new Worker(hostProgram(), {
      workerData: { port: port2, bell } satisfies HostData,
      transferList: [port2],
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { stackSizeMb: 16 },
    });
    const host = { thread, port: port1, bell, ready: false };
    port1.on("message", (results: FunctionResult[]) => {
      host.ready = true;
      this.#take(results);
      this.#collect(port1);
      this.#hold();
    });
    thread.unref();
    port1.unref();
    // Whatever it was, its end follows.
    thread.on("error", () => {});
    thread.once("exit", () => this.#lost(host));
    return host;
  }

  #collect(port: MessagePort): void {
    for (let posted = receiveMessageOnPort(port); posted; posted = receiveMessageOnPort(port))
      this.#take(posted.message);
  }

  #take(results: readonly FunctionResult[]): void {
    for (const result of results) {
      const call = this.#running.get(result.id);
      if (!call) continue;
      this.#settle(call);
      if ("outputs" in result) call.done(JSON.parse(result.outputs) as Values);
      else call.failed(refused(result.error));
    }
    this.#next();
  }

  #settle(call: Pending): void {
    this.#running.delete(call.id);
    if (call.suspect) this.#suspects = this.#suspects.filter((each) => each !== call);
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
    this.#hold();
  }
}

function refused(error: string): TerminalError {
  return new TerminalError("function-failed", `The function failed: ${error}`, "Mend its code.");
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
