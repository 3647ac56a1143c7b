/** C15 for every provider: the next iteration continues with what the one before left in the docks of its loop. */

import { expect, test } from "vitest";
import { remember, type StartSubject, type Subject, secret } from "./subject.ts";
import { asked, long, runner, watch } from "./workflow.ts";

/** A judge that approves in the third iteration. */
const judge = (output: string, content: boolean) => ({
  type: "function",
  in: "loop",
  data: {
    code: `return {
      ${output}: (inputs.iteration >= 3) === ${content},
      feedback: "echo better " + inputs.iteration,
    };`,
    inputs: [{ name: "iteration", type: "number" }],
    outputs: [
      { name: output, type: "boolean" },
      { name: "feedback", type: "string" },
    ],
  },
});

/** The session's key and the feedback come back through one dock, each to its own input. */
function bySessionId(subject: Subject): string {
  return long(
    {
      start: { type: "trigger" },
      task: { type: "constant", data: { value: remember } },
      loop: {
        type: "loop",
        data: {
          maxIterations: 5,
          dockSlots: [
            { name: "iteration", type: "iteration" },
            { name: "session", type: "feedback" },
            { name: "again", type: "continue" },
          ],
        },
      },
      coder: { type: "agent", in: "loop", data: runner(subject) },
      judge: judge("more", false),
      result: { type: "output", data: { name: "iterations" } },
    },
    [
      "start output:text > task wait",
      "task output:value > loop input:task",
      "loop input:task:internal > coder input:prompt",
      "loop dock:session:prev > coder input:prompt",
      "loop dock:session:prev > coder input:sessionId",
      "coder output:sessionId > loop dock:session:current",
      "coder output:output > judge input:output",
      "loop dock:iteration:output > judge input:iteration",
      "judge output:feedback > loop dock:session:current",
      "judge output:more > loop dock:again:input",
      "loop output:iterations > result input:value",
    ],
  );
}

/** A task and what comes back have an input each; what comes back is the agent's own work. */
function byPrompts(subject: Subject): string {
  return long(
    {
      start: { type: "trigger", data: { label: "Begin", triggerType: "manual" } },
      task: { type: "constant", data: { value: remember } },
      loop: {
        type: "loop",
        data: {
          label: "Until it is right",
          maxIterations: 4,
          dockSlots: [
            { name: "round", type: "iteration" },
            { name: "work", type: "feedback" },
            { name: "proceed", type: "continue" },
          ],
        },
      },
      coder: {
        type: "agent",
        in: "loop",
        data: {
          ...runner(subject),
          inputs: [
            { name: "taskPrompt", type: "string" },
            { name: "iteratePrompt", type: "json" },
          ],
          outputs: [{ name: "draft", type: "string" }],
        },
      },
      judge: judge("approved", true),
      result: { type: "output", data: { name: "iterations" } },
    },
    [
      "start output:text > task wait",
      "task output:value > loop input:task",
      "loop dock:round:output > coder input:taskPrompt",
      "loop dock:work:prev > coder input:iteratePrompt",
      "coder output:draft > loop dock:work:current",
      "coder output:draft > judge input:draft",
      "loop dock:round:output > judge input:iteration",
      "judge output:approved > loop dock:proceed:input",
      "loop output:iterations > result input:value",
    ],
  );
}

const three = [remember, "echo better 1", "echo better 2"];

export function docks(provider: string, start: StartSubject): void {
  for (const [what, source] of [
    ["a sessionId through a feedback dock", bySessionId],
    ["a taskPrompt and an iteratePrompt", byPrompts],
  ] as const)
    test(`C15/${provider}: ${what}: the first iteration gets nothing back, each later one resumes what the one before emitted; a rerun of the loop starts a new session`, async () => {
      await using subject = await start();
      const { runs } = subject.reprise;
      const sessions = new Set<string>();
      const check = ({ result, launches, calls }: Awaited<ReturnType<typeof once>>) => {
        expect(result).toMatchObject({ status: "done", outputs: { iterations: 3 } });
        const session = calls[0]!.session;
        expect(asked(calls)).toEqual(three);
        expect(launches.map(({ resumed }) => resumed)).toEqual([null, session, session]);
        expect(calls.map(({ earlier }) => earlier)).toEqual([0, 2, 4]);
        expect(calls.every((call) => call.session === session)).toBe(true);
        for (const { prompt } of calls.slice(1)) expect(prompt).not.toContain(secret);
        sessions.add(session);
      };
      const once = (again: () => ReturnType<typeof runs.start>) => watch(subject, again);
      check(await once(() => runs.start({ source: source(subject), id: "docks" })));
      check(await once(() => runs.rerun({ run: "docks", from: "loop" })));
      expect(sessions.size).toBe(2);
    });

  test(`C15/${provider}: a failed agent still emits its session, and the next iteration resumes it`, async () => {
    await using subject = await start();
    const { runs, inbox } = subject.reprise;
    const source = long(
      {
        loop: {
          type: "loop",
          data: {
            maxIterations: 5,
            dockSlots: [
              { name: "session", type: "feedback" },
              { name: "enough", type: "until" },
            ],
          },
        },
        coder: {
          type: "agent",
          in: "loop",
          data: { ...runner(subject), prompt: "echo work", onError: "continue" },
        },
        gate: { type: "gate", in: "loop", data: { title: "Enough?" } },
      },
      [
        "loop dock:session:prev > coder input:sessionId",
        "coder output:sessionId > loop dock:session:current",
        "coder output:error > gate input:input",
        "gate output:approved > loop dock:enough:input",
      ],
    );
    const first = await watch(subject, () => runs.start({ source, id: "failing" }));
    const { session } = first.calls[0]!;
    const next = async (choice: string) => {
      const [item] = await inbox.list();
      return watch(subject, () => inbox.answer({ item: item!.id, choice, by: "ann" }));
    };
    subject.misbehave("unknown-failure");
    const failed = await next("reject");
    expect(failed.launches).toMatchObject([{ resumed: session }]);
    const resumed = await next("reject");
    expect(resumed.launches).toMatchObject([{ resumed: session }]);
    expect(resumed.calls).toMatchObject([{ session, earlier: 2 }]);
    await next("approve");
    const { executions } = await runs.show("failing");
    const coders = executions.filter(({ node }) => node === "coder");
    expect(coders.map(({ status }) => status)).toEqual(["done", "failed", "done"]);
    const keys = coders.map(({ outputs }) => outputs.sessionId);
    expect(keys).toEqual(Array(3).fill("wf:failing:agent:coder"));
  });
}
