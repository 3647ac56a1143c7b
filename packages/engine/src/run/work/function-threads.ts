/** The threads that run slow functions. */

import { availableParallelism } from "node:os";
import { TerminalError, TimedOutError } from "@reprise/core/errors/errors";
import { CallThreads } from "../../thread/call-threads.ts";
import type { FunctionCall } from "./function-host.ts";
import type { FunctionResult } from "./function-realm.ts";

export function functionThreads(): CallThreads<FunctionCall, FunctionResult> {
  return new CallThreads({
    host: new URL("./function-host.js", import.meta.url),
    // More threads than processors would only compete with each other.
    maxThreads: Math.max(2, availableParallelism()),
    limits: { stackSizeMb: 16 },
    late: (timeout) =>
      new TimedOutError(
        "timed-out",
        `The function did not end within ${timeout} ms.`,
        "Give the node a longer timeout, or fix the function's code.",
      ),
    crashed: () =>
      new TerminalError(
        "function-crashed",
        "The function crashed the thread that it ran in.",
        "Fix the function's code.",
      ),
  });
}
