/** C15 on the scripted agent. */

import { expect, test } from "vitest";
import { docks } from "./c15-docks.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { recall, remember, type Subject, secret } from "./subject.ts";
import { asked, long, runner, steps, watch } from "./workflow.ts";

docks("scripted", startScripted);

/** A loop around an agent and a function that decides about it; `code` sees the iteration as `n`. */
function decided(
  subject: Subject,
  { code, dock = "continue" }: { code: string; dock?: string },
): string {
  return long(
    {
      loop: {
        type: "loop",
        data: {
          maxIterations: 2,
          dockSlots: [
            { name: "number", type: "iteration" },
            { name: "proceed", type: dock },
          ],
        },
      },
      coder: {
        type: "agent",
        in: "loop",
        data: { ...runner(subject), session: "coder", prompt: "echo {{ iteration }}" },
      },
      judge: {
        type: "function",
        in: "loop",
        data: { code: `const n = inputs.number; ${code}`, outputs: [{ name: "verdict" }] },
      },
      iterations: { type: "output", data: { name: "iterations" } },
      ended: { type: "output", data: { name: "ended" } },
    },
    [
      "coder output:output > judge input:said",
      "loop dock:number:output > judge input:number",
      "judge output:verdict > loop dock:proceed:input",
      "loop output:iterations > iterations input:value",
      "loop output:ended > ended input:value",
    ],
  );
}

const conditions: readonly (readonly [
  string,
  Parameters<typeof decided>[1],
  { iterations: number; ended: string },
  string[],
])[] = [
  ["false", { code: "return { verdict: n < 1 };" }, { iterations: 1, ended: "condition" }, []],
  [
    'the text "false"',
    { code: "return { verdict: String(n < 1) };" },
    { iterations: 1, ended: "condition" },
    ['loop.proceed: the text "false" was read as false'],
  ],
  [
    'the text "true" on an until dock',
    { code: "return { verdict: String(n >= 1) };", dock: "until" },
    { iterations: 1, ended: "condition" },
    ['loop.proceed: the text "true" was read as true'],
  ],
  [
    "the maximum, where the condition would not",
    { code: "return { verdict: true };" },
    { iterations: 2, ended: "maximum" },
    [],
  ],
  [
    "the condition in the last permitted iteration, which is not a maximum",
    { code: "return { verdict: n < 2 };" },
    { iterations: 2, ended: "condition" },
    [],
  ],
];
for (const [what, loop, outputs, warnings] of conditions)
  test(`C15/scripted: what ends a loop: ${what}`, async () => {
    await using subject = await startScripted();
    const { runs } = subject.reprise;
    const { result, calls } = await watch(subject, () =>
      runs.start({ source: decided(subject, loop), id: "loop" }),
    );
    expect(result).toMatchObject({ status: "done", outputs });
    expect(result.executions.find(({ id }) => id === "loop")?.warnings).toEqual(warnings);
    expect(asked(calls)).toEqual(
      Array.from({ length: outputs.iterations }, (_, index) => `echo ${index + 1}`),
    );
    expect(new Set(calls.map(({ session }) => session)).size).toBe(1);
  });

for (const [what, value] of [
  ["nothing", "{}"],
  ["null", "{ verdict: null }"],
  ["a number", "{ verdict: 1 }"],
  ["a text", '{ verdict: "maybe" }'],
  ["an object", "{ verdict: { approved: true } }"],
])
  test(`C15/scripted: ${what} on the condition's dock fails the loop, and the port is named`, async () => {
    await using subject = await startScripted();
    const source = decided(subject, { code: `return ${value};` });
    const { result, calls } = await watch(subject, () => subject.reprise.runs.start({ source }));
    expect(result).toMatchObject({
      status: "failed",
      error: {
        code: "bad-condition",
        message: expect.stringMatching(/"loop".*verdict.*"proceed"/),
      },
    });
    expect(asked(calls)).toEqual(["echo 1"]);
  });

test("C15/scripted: a retry continues in the session of the attempt that failed", async () => {
  await using subject = await startScripted();
  const agent = { ...runner(subject), session: "coder" };
  const source = steps(
    {
      first: { ...agent, prompt: remember },
      second: { ...agent, needs: "first", prompt: recall, retry: { max: 2, backoff: 1 } },
    },
    { outputs: { text: "second.output" } },
  );
  const transient = { do: ["model", { fail: { status: 503 } }] };
  subject.rules({ when: { launch: 2 }, ...transient }, { when: { launch: 3 }, ...transient });
  const { result, launches, calls } = await watch(subject, () =>
    subject.reprise.runs.start({ source }),
  );
  expect(result).toMatchObject({ status: "done", outputs: { text: secret } });
  const { session } = calls[0]!;
  expect(launches.map(({ resumed }) => resumed)).toEqual([null, session, session, session]);
  expect(calls.map(({ earlier }) => earlier)).toEqual([0, 2, 2, 2]);
});

test("C15/scripted: a wired prompt wins over iteratePrompt, taskPrompt and the node's own", async () => {
  await using subject = await startScripted();
  const values = ["prompt", "iteratePrompt", "taskPrompt"];
  const prompts: string[] = [];
  for (let wired = 0; wired <= values.length; wired += 1) {
    const feeding = values.slice(wired);
    const source = long(
      {
        ...Object.fromEntries(
          feeding.map((name) => [name, { type: "constant", data: { value: `echo ${name}` } }]),
        ),
        coder: { type: "agent", data: { ...runner(subject), prompt: "echo its own" } },
      },
      feeding.map((name) => `${name} output:value > coder input:${name}`),
    );
    const { calls } = await watch(subject, () => subject.reprise.runs.start({ source }));
    prompts.push(...asked(calls));
  }
  expect(prompts).toEqual([...values.map((name) => `echo ${name}`), "echo its own"]);
});

test("C15/scripted: a loop that is entered again by an outer one gets nothing back at first", async () => {
  await using subject = await startScripted();
  const dockSlots = [
    { name: "number", type: "iteration" },
    { name: "session", type: "feedback" },
    { name: "again", type: "continue" },
  ];
  const source = long(
    {
      outer: { type: "loop", data: { maxIterations: 2, dockSlots: [dockSlots[2]] } },
      yes: { type: "constant", in: "outer", data: { value: true } },
      loop: { type: "loop", in: "outer", data: { maxIterations: 2, dockSlots } },
      coder: {
        type: "agent",
        in: "loop",
        data: { ...runner(subject), prompt: "echo {{ iteration }}" },
      },
      judge: { type: "function", in: "loop", data: { code: "return { more: inputs.n < 2 };" } },
    },
    [
      "loop dock:session:prev > coder input:sessionId",
      "coder output:sessionId > loop dock:session:current",
      "coder output:output > judge input:said",
      "loop dock:number:output > judge input:n",
      "judge output:more > loop dock:again:input",
      "loop output:ended > yes wait",
      "yes output:value > outer dock:again:input",
    ],
  );
  const { result, calls } = await watch(subject, () => subject.reprise.runs.start({ source }));
  expect(result.status).toBe("done");
  expect(calls.map(({ earlier }) => earlier)).toEqual([0, 2, 0, 2]);
  const [one, two, three, four] = calls.map(({ session }) => session);
  expect([two, four]).toEqual([one, three]);
  expect(three).not.toBe(one);
});

test("C15/scripted: an agent as the judge: its approval ends the loop, its feedback is the next prompt", async () => {
  await using subject = await startScripted();
  const agent = runner(subject);
  const verdict = (approved: boolean) =>
    JSON.stringify({ approved, feedback: approved ? "fine" : "echo with tests" });
  subject.rules(
    { when: { prompt: "Judge it." }, times: 1, do: [{ say: verdict(false) }] },
    { when: { prompt: "Judge it." }, do: [{ say: verdict(true) }] },
  );
  const source = long(
    {
      start: { type: "trigger" },
      loop: {
        type: "loop",
        data: {
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
          ...agent,
          inputs: [
            { name: "taskPrompt", type: "string" },
            { name: "iteratePrompt", type: "json" },
          ],
          outputs: [{ name: "result", type: "string" }],
        },
      },
      judge: {
        type: "agent",
        in: "loop",
        data: {
          ...agent,
          prompt: "Judge it.",
          outputSchema: JSON.stringify({
            type: "object",
            properties: { approved: { type: "boolean" }, feedback: { type: "string" } },
          }),
        },
      },
    },
    [
      "start output:text > loop input:task",
      "loop dock:round:output > coder input:taskPrompt",
      "loop dock:work:prev > coder input:iteratePrompt",
      "coder output:result > loop dock:work:current",
      "coder output:result > judge",
      "judge output:approved > loop dock:proceed:input",
    ],
  );
  const { result, calls } = await watch(subject, () =>
    subject.reprise.runs.start({ source, inputs: { text: remember } }),
  );
  expect(result.status).toBe("done");
  const coder = calls.filter(({ prompt }) => !prompt.includes("Judge it."));
  expect(asked(coder)).toEqual([remember, "echo with tests"]);
  expect(coder.map(({ earlier }) => earlier)).toEqual([0, 2]);
  const judges = calls.filter(({ prompt }) => prompt.includes("Judge it."));
  expect(judges.map(({ earlier }) => earlier)).toEqual([0, 0]);
  expect(judges[1]!.prompt).toContain("with tests");
});

test("C15/scripted: nested loops: the inner one starts new sessions in each outer iteration, the outer one continues", async () => {
  await using subject = await startScripted();
  const agent = runner(subject);
  const source = steps({
    outer: {
      loop: {
        continue: "again.success",
        max: 2,
        onMaximum: "done",
        steps: {
          author: { ...agent, session: "author", prompt: "echo outer {{ iteration }}" },
          inner: {
            needs: "author",
            loop: {
              continue: "more.success",
              max: 2,
              onMaximum: "done",
              steps: {
                helper: { ...agent, session: "helper", prompt: "echo inner {{ iteration }}" },
                more: { needs: "helper", shell: "true" },
              },
            },
          },
          again: { needs: "inner", shell: "true" },
        },
      },
    },
  });
  const { calls, result } = await watch(subject, () => subject.reprise.runs.start({ source }));
  expect(result.status).toBe("done");
  const by = (what: string) => calls.filter(({ prompt }) => prompt.includes(what));
  expect(by("outer").map(({ earlier }) => earlier)).toEqual([0, 2]);
  expect(new Set(by("outer").map(({ session }) => session)).size).toBe(1);
  const inner = by("inner");
  expect(inner.map(({ earlier }) => earlier)).toEqual([0, 2, 0, 2]);
  expect(inner[1]!.session).toBe(inner[0]!.session);
  expect(inner[2]!.session).not.toBe(inner[0]!.session);
  expect(inner[3]!.session).toBe(inner[2]!.session);
});

test("C15/scripted: a rerun from the start begins new sessions; one from what failed continues", async () => {
  await using subject = await startScripted();
  const { runs } = subject.reprise;
  const source = steps({
    loop: {
      loop: {
        until: "check.success",
        max: 3,
        steps: {
          coder: { ...runner(subject), prompt: "echo one", retry: 0 },
          check: { needs: "coder", shell: "test {{ iteration }} = 2", onError: "continue" },
        },
      },
    },
  });
  subject.rules({ when: { launch: 2 }, do: ["model", { fail: { kind: "unknown" } }] });
  const failed = await watch(subject, () => runs.start({ source, id: "again" }));
  expect(failed.result.status).toBe("failed");
  const { session } = failed.calls[0]!;
  const on = await watch(subject, () => runs.rerun({ run: "again" }));
  expect(on.result.status).toBe("done");
  expect(on.calls).toMatchObject([{ session, earlier: 2 }]);

  const anew = await watch(subject, () => runs.rerun({ run: "again", fromStart: true }));
  expect(anew.result.status).toBe("done");
  expect(anew.calls.map(({ earlier }) => earlier)).toEqual([0, 2]);
  expect(anew.calls[0]!.session).not.toBe(session);
});
