/** C15 to C17 and C25 on API models: docks, sessions over several nodes, retry gates, rejections. */

import { expect, test } from "vitest";
import { docks } from "./c15-docks.cases.ts";
import { resumable } from "./c15-resumable.cases.ts";
import { nodeKeys } from "./c16-node-keys.cases.ts";
import { oneSession } from "./c16-one-session.cases.ts";
import { retryGate } from "./c17-retry-gate.cases.ts";
import { nothingAsked } from "./c25-permission.cases.ts";
import { nothingAfterNo } from "./c25-rejection.cases.ts";
import { type OpenaiSubject, startOpenai } from "./openai-subject.ts";
import { recall, remember, secret } from "./subject.ts";
import { long, runner, runWorkflow, watch } from "./workflow.ts";

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

const loopWith = (subject: OpenaiSubject, input: string) =>
  long(
    {
      start: { type: "trigger" },
      loop: {
        type: "loop",
        data: {
          maxIterations: 2,
          onMaximum: "done",
          dockSlots: [
            { name: "history", type: "feedback" },
            { name: "again", type: "continue" },
          ],
        },
      },
      coder: { type: "agent", in: "loop", data: { ...runner(subject), prompt: recall } },
      judge: {
        type: "function",
        in: "loop",
        data: { code: "return { more: true };", outputs: [{ name: "more", type: "boolean" }] },
      },
      result: { type: "output", data: { name: "history" } },
    },
    [
      "start output:text > loop input:task",
      `loop dock:history:prev > coder input:${input}`,
      "coder output:conversationHistory > loop dock:history:current",
      "coder output:output > judge input:x",
      "judge output:more > loop dock:again:input",
      "coder output:conversationHistory > loop output:history:internal",
      "loop output:history > result input:value",
    ],
  );

for (const input of ["conversationHistory", "sessionId"])
  test(`C15/openai: its messages come back through a dock to ${input}, and the next iteration knows them`, async () => {
    await using subject = await startOpenai();
    subject.answer([{ text: `It was ${secret}.` }]);
    const { result, calls } = await watch(subject, () =>
      subject.reprise.runs.start({ source: loopWith(subject, input) }),
    );
    expect(result).toMatchObject({ status: "done" });
    const [first, second] = calls;
    expect(first).toMatchObject({ prompt: recall, earlier: 0 });
    // A node whose own output returns to it keeps its session; on sessionId, the messages are one.
    if (input === "sessionId") expect(second!.prompt).toContain(`It was ${secret}.`);
    else expect(second).toMatchObject({ session: first!.session, prompt: recall, earlier: 2 });
    expect(result.outputs).toMatchObject({
      history: {
        messages: [
          { role: "user", content: recall },
          { role: "assistant", content: `It was ${secret}.` },
          { role: "user", content: recall },
          { role: "assistant" },
        ],
      },
    });
  });

test("C15/openai: messages of a run's input begin a session, which continues as one", async () => {
  await using subject = await startOpenai();
  const messages = [
    { role: "user", content: remember },
    { role: "assistant", content: "Yes." },
  ];
  const source = long(
    {
      past: { type: "constant", data: { value: { messages } } },
      coder: { type: "agent", data: { ...runner(subject), prompt: "echo on" } },
      again: { type: "agent", data: { ...runner(subject), prompt: recall } },
    },
    [
      "past output:value > coder input:conversationHistory",
      "coder output:sessionId > again input:sessionId",
    ],
  );
  const { turns, calls } = await runWorkflow(subject, source);
  expect(calls[0]!.prompt).toContain(remember);
  expect(calls[1]).toMatchObject({ session: calls[0]!.session, earlier: 2, prompt: recall });
  expect(turns.again).toMatchObject({ output: secret, decision: { outcome: "resume" } });
});

test("C15/openai: messages that nothing reads are not in the outputs of a node", async () => {
  await using subject = await startOpenai();
  const source = long(
    { coder: { type: "agent", data: { ...runner(subject), prompt: recall } } },
    [],
  );
  const { run } = await runWorkflow(subject, source);
  expect(run.executions[0]?.outputs).toMatchObject({ conversationHistory: null });
});

nodeKeys("openai", startOpenai);
oneSession("openai", startOpenai);
retryGate("openai", startOpenai);
nothingAsked("openai", startOpenai);
nothingAfterNo("openai", startOpenai);
