/** The side of a thread: answers the calls of `CallThreads`, one after the other. */

import { parentPort } from "node:worker_threads";
import type { Said } from "./call-threads.ts";

export function answerCalls<Call, Answer>(answer: (call: Call) => Answer | Promise<Answer>): void {
  const say = (said: Said<Answer>) => parentPort!.postMessage(said);
  parentPort!.on("message", async (call: Call) => {
    say({ begun: true });
    say({ answer: await answer(call) });
  });
}
