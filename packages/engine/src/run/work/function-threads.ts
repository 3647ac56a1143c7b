/** The threads that run functions. */

import { availableParallelism } from "node:os";
import { TerminalError } from "@reprise/core/errors/errors";
import { CallThreads } from "../../thread/call-threads.ts";
import type { FunctionBatch } from "./function-host.ts";
import type { FunctionResult } from "./function-realm.ts";

/** More threads than processors would only compete with each other. */
export const maxFunctionThreads = Math.min(8, Math.max(2, availableParallelism()));

/** A batch that timed out: its thread was ended. */
export class LateBatch extends Error {}

export function functionThreads(): CallThreads<FunctionBatch, FunctionResult[]> {
  return new CallThreads({
    host: new URL("./function-host.js", import.meta.url),
    maxThreads: maxFunctionThreads,
    maxIdle: maxFunctionThreads,
    // Deep recursion must reach the interpreter's own limit first.
    limits: { stackSizeMb: 16 },
    late: () => new LateBatch(),
    crashed: () =>
      new TerminalError(
        "function-crashed",
        "The function crashed the thread that it ran in.",
        "Fix the function's code.",
      ),
  });
}
