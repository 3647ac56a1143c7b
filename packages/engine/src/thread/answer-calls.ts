/** The thread's side of `CallThreads`: answers calls, one after the other. */

import { parentPort } from "node:worker_threads";
import type { Said } from "./call-threads.ts";

export function answerCalls<Call, Answer>(answer: (call: Call) => Answer | Promise<Answer>): void {
  const say = (said: Said<Answer>) => parentPort!.postMessage(said);
  parentPort!.on("message", async (call: Call) => {
    say({ begun: true });
    say({ answer: await answer(call) });
  });
}
