/** C15 to C17 and C25 on API models: docks, sessions over several nodes, retry gates, rejections. */

import { docks } from "./c15-docks.cases.ts";
import { resumable } from "./c15-resumable.cases.ts";
import { nodeKeys } from "./c16-node-keys.cases.ts";
import { oneSession } from "./c16-one-session.cases.ts";
import { retryGate } from "./c17-retry-gate.cases.ts";
import { nothingAsked } from "./c25-permission.cases.ts";
import { nothingAfterNo } from "./c25-rejection.cases.ts";
import { startOpenai } from "./openai-subject.ts";

docks("openai", startOpenai);
resumable("openai", "openai", async () => {
  const subject = await startOpenai();
  await subject.close();
  return {
    subject,
    witness: subject.witness,
    review(verdicts) {
      verdicts.forEach((approved, index) => {
        const feedback = approved ? "It is good." : "Do it once more.";
        // The reviewer is launched after the coder, in each iteration.
        subject.answer([{ text: JSON.stringify({ approved, feedback }) }], 2 * index + 1);
      });
    },
    [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
  };
});
nodeKeys("openai", startOpenai);
oneSession("openai", startOpenai);
retryGate("openai", startOpenai);
nothingAsked("openai", startOpenai);
nothingAfterNo("openai", startOpenai);
