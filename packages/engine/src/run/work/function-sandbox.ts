/**
 * Calls functions in threads. Calls that wait for a thread are passed to it together, since a message to a
 * thread costs more than a short call. A call that takes long there is stopped and made again alone.
 * Functions have no effects, so calling one twice is harmless.
 */

import { TerminalError, TimedOutError } from "@reprise/core/errors/errors";
import type { Functions } from "../../engine.ts";
import type { ThreadCallOptions } from "../../thread/call-threads.ts";
import type { FunctionCall, FunctionResult } from "./function-realm.ts";
import { functionThreads, LateBatch, maxFunctionThreads } from "./function-threads.ts";

type Values = Readonly<Record<string, unknown>>;

interface Pending extends FunctionCall, ThreadCallOptions {
  /** It may take long, or did not return from a batch. */
  alone: boolean;
  readonly done: (outputs: Values) => void;
  readonly failed: (error: unknown) => void;
}

/** Milliseconds that one call in a batch may take. */
const batchedLimit = 10;
const maxBatch = 32;
/** Milliseconds after which a thread that ignores its time limit is ended. */
const grace = 200;
const maxSlowCodes = 200;
/** Milliseconds for one piece of code, and for all of a workflow. */
const compileLimit = 500;
const maxCompileTime = 5_000;

export class FunctionSandbox implements Functions {
  readonly #threads = functionThreads();
  #waiting: Pending[] = [];
  #batches = 0;
  #isScheduled = false;
  /** Code that took longer than a batch allows. */
  readonly #slow = new Set<string>();

  call(code: string, inputs: Values, { timeout, signal }: ThreadCallOptions): Promise<Values> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const cancel = () => {
        this.#waiting = this.#waiting.filter((each) => each !== pending);
        reject(signal?.reason);
      };
      const settled = () => signal?.removeEventListener("abort", cancel);
      const pending: Pending = {
        code,
        inputs: JSON.stringify(inputs),
        timeout,
        ...(signal && { signal }),
        alone: this.#slow.has(code),
        done(outputs) {
          settled();
          resolve(outputs);
        },
        failed(error) {
          settled();
          reject(error);
        },
      };
      signal?.addEventListener("abort", cancel);
      this.#waiting.push(pending);
      this.#schedule();
    });
  }

  async compile(codes: readonly string[]): Promise<(string | null)[]> {
    const calls = codes.map((code) => ({ code, inputs: null }));
    const results = await this.#threads
      .call({ calls, limit: compileLimit }, { timeout: maxCompileTime })
      .catch(() => []);
    return codes.map((_, index) => {
      const result = results[index];
      return result && "error" in result ? result.error : null;
    });
  }

  close(): void {
    this.#threads.close();
  }

  /** Later in this turn of the event loop, so that calls of the same moment share a batch. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#batches >= maxFunctionThreads)
      return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#batches < maxFunctionThreads)
        void this.#run(this.#nextBatch());
    });
  }

  #nextBatch(): Pending[] {
    if (this.#waiting[0]!.alone) return this.#waiting.splice(0, 1);
    const share = Math.ceil(this.#waiting.length / (maxFunctionThreads - this.#batches));
    const firstAlone = this.#waiting.findIndex(({ alone }) => alone);
    const together = firstAlone < 0 ? this.#waiting.length : firstAlone;
    return this.#waiting.splice(0, Math.min(share, together, maxBatch));
  }

  async #run(batch: readonly Pending[]): Promise<void> {
    this.#batches += 1;
    const [only] = batch;
    try {
      if (batch.length === 1) await this.#runAlone(only!);
      else await this.#runTogether(batch);
    } finally {
      this.#batches -= 1;
      this.#schedule();
    }
  }

  async #runAlone(pending: Pending): Promise<void> {
    const { code, inputs, timeout, signal, done, failed } = pending;
    try {
      const [result] = await this.#threads.call(
        { calls: [{ code, inputs }], limit: timeout },
        { timeout: timeout + grace, ...(signal && { signal }) },
      );
      done(outputsOf(result!, timeout));
    } catch (error) {
      if (!(error instanceof LateBatch)) return failed(error);
      this.#remember(code);
      failed(timedOut(timeout));
    }
  }

  async #runTogether(batch: readonly Pending[]): Promise<void> {
    const calls = batch.map(({ code, inputs }) => ({ code, inputs }));
    const timeout = batch.length * batchedLimit + grace;
    const results = await this.#threads
      .call({ calls, limit: batchedLimit }, { timeout })
      .catch(() => null);
    const again: Pending[] = [];
    for (const [index, pending] of batch.entries()) {
      const result = results?.[index];
      if (!result || "interrupted" in result) again.push(pending);
      else settle(pending, result);
    }
    for (const pending of again) {
      pending.alone = true;
      if (results) this.#remember(pending.code);
    }
    this.#waiting.unshift(...again.filter(({ signal }) => !signal?.aborted));
  }

  #remember(code: string): void {
    const [oldest] = this.#slow;
    if (this.#slow.size >= maxSlowCodes && oldest !== undefined) this.#slow.delete(oldest);
    this.#slow.add(code);
  }
}

function settle({ timeout, done, failed }: Pending, result: FunctionResult): void {
  try {
    done(outputsOf(result, timeout));
  } catch (error) {
    failed(error);
  }
}

function outputsOf(result: FunctionResult, timeout: number): Values {
  if ("outputs" in result) return JSON.parse(result.outputs) as Values;
  if ("interrupted" in result) throw timedOut(timeout);
  if ("tooLarge" in result)
    throw new TerminalError(
      "output-too-long",
      "The function returned more than 8 MiB.",
      "Return less, or let a shell node write it to a file and pass the file's name.",
    );
  throw new TerminalError(
    "function-failed",
    `The function failed: ${result.error}`,
    "Fix the function's code.",
  );
}

function timedOut(timeout: number): TimedOutError {
  return new TimedOutError(
    "timed-out",
    `The function did not end within ${timeout} ms.`,
    "Give the node a longer timeout, or fix the function's code.",
  );
}
