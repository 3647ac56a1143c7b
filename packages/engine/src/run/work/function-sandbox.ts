/**
 * Calls functions directly in a realm of this process as long as they do little work. A function that needs
 * more is stopped, and runs in a thread from then on. Functions have no effects, so starting one twice is
 * harmless.
 */

import { TerminalError } from "@reprise/core/errors/errors";
import type { NamedValues } from "@reprise/workflow/run/event";
import type { ThreadCallOptions } from "../../thread/call-threads.ts";
import { FunctionRealm, type FunctionResult } from "./function-realm.ts";
import { functionThreads } from "./function-threads.ts";

/** About ten milliseconds of work, during which this process does nothing else. */
const fuel = 1_000_000;
const maxLongCodes = 200;

export class FunctionSandbox {
  #realm: Promise<FunctionRealm> | null = null;
  readonly #threads = functionThreads();
  /** Code that was stopped once. */
  readonly #long = new Set<string>();

  async call(code: string, inputs: NamedValues, options: ThreadCallOptions): Promise<NamedValues> {
    options.signal?.throwIfAborted();
    const text = JSON.stringify(inputs);
    const answer =
      (await this.#short(code, text)) ??
      (await this.#threads.call({ code, inputs: text }, options));
    if ("outputs" in answer) return JSON.parse(answer.outputs) as NamedValues;
    throw new TerminalError(
      "function-failed",
      `The function failed: ${answer.error}`,
      "Fix the function's code.",
    );
  }

  close(): void {
    this.#threads.close();
  }

  async #short(code: string, inputs: string): Promise<FunctionResult | null> {
    if (this.#long.has(code)) return null;
    this.#realm ??= this.#open();
    const opened = this.#realm;
    const realm = await opened;
    // Another call may have spent it meanwhile.
    if (realm.spent) return this.#short(code, inputs);
    const answer = realm.call(code, inputs);
    if (realm.spent && this.#realm === opened) this.#realm = null;
    if (answer === null) this.#remember(code);
    return answer;
  }

  #open(): Promise<FunctionRealm> {
    const opened = FunctionRealm.open({ fuel });
    // If opening failed, the next call tries again.
    opened.catch(() => {
      this.#realm = null;
    });
    return opened;
  }

  #remember(code: string): void {
    const [oldest] = this.#long;
    if (this.#long.size >= maxLongCodes && oldest !== undefined) this.#long.delete(oldest);
    this.#long.add(code);
  }
}
