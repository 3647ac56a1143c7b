/** The thread's side of `CallThreads`: answers calls, one after the other. */

import { parentPort } from "node:worker_threads";
import type { ThreadMessage } from "./call-threads.ts";

/** To be called when the thread has loaded what it needs: from then on the time of its first call runs. */
export function answerCalls<Call, Answer>(answer: (call: Call) => Answer | Promise<Answer>): void {
  const post = (message: ThreadMessage<Answer>) => parentPort!.postMessage(message);
  parentPort!.on("message", async (call: Call) => post({ answer: await answer(call) }));
  post("ready");
}
