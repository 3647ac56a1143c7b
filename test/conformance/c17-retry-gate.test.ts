/** C17 on the scripted agent. */

import { expect, test } from "vitest";
import {
  type Checks,
  content,
  expectOneSession,
  pipeline,
  ran,
  retryGate,
} from "./c17-retry-gate.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { runner, steps, watch } from "./workflow.ts";

retryGate("scripted", startScripted);

const single: readonly (readonly [string, Checks, RegExp, RegExp])[] = [
  ["the review alone", { review: content(2, "UNCLEAR"), test: "true" }, /UNCLEAR 1/, /BROKEN/],
  ["the test alone", { review: "true", test: content(2, "BROKEN") }, /BROKEN 1/, /UNCLEAR/],
];
for (const [what, checks, sent, unsent] of single)
  test(`C17/scripted: any failed check is enough: ${what}`, async () => {
    await using subject = await startScripted();
    const source = pipeline(subject, checks);
    const { result, calls } = await watch(subject, () => subject.reprise.runs.start({ source }));
    expect(result).toMatchObject({ status: "done", outputs: { passed: true, retries: 1 } });
    expect(calls).toHaveLength(2);
    expectOneSession(calls);
    expect(calls[1]!.prompt).toMatch(sent);
    expect(calls[1]!.prompt).not.toMatch(unsent);
    expect([ran(subject, "review"), ran(subject, "test"), ran(subject, "lint")]).toEqual([2, 2, 1]);
  });

test("C17/scripted: a check that passes at once re-triggers nothing", async () => {
  await using subject = await startScripted();
  const source = pipeline(subject, { review: "true", test: "true" });
  const { result, calls } = await watch(subject, () => subject.reprise.runs.start({ source }));
  expect(result.outputs).toEqual({ passed: true, retries: 0 });
  expect(calls).toHaveLength(1);
});

for (const onMaximum of ["done", "fail"])
  test(`C17/scripted: it stops at its maximum: ${onMaximum}`, async () => {
    await using subject = await startScripted();
    // A check beside the target is not run again, so no retry can fix it.
    const source = pipeline(subject, {
      review: "true",
      test: content(9, "BROKEN"),
      lint: content(9, "UNTIDY"),
      gate: { onMaximum },
    });
    const { result, calls } = await watch(subject, () => subject.reprise.runs.start({ source }));
    expect(result).toMatchObject(
      onMaximum === "done"
        ? { status: "done", outputs: { passed: false, retries: 2 } }
        : { status: "failed", error: { code: "retries-used-up" } },
    );
    expect(calls).toHaveLength(3);
    expectOneSession(calls);
    for (const [index, { prompt }] of calls.slice(1).entries())
      expect(prompt).toMatch(new RegExp(`BROKEN ${index + 1}.*UNTIDY 1`, "s"));
    const counts = ["plan", "lint", "review", "test", "after"].map((name) => ran(subject, name));
    expect(counts).toEqual([1, 1, 3, 3, onMaximum === "done" ? 1 : 0]);
  });

test("C17/scripted: a rerun of the target's run from the start counts anew, in a new session", async () => {
  await using subject = await startScripted();
  const { runs } = subject.reprise;
  const source = pipeline(subject, {
    review: "[ $(($n % 2)) = 0 ] || { echo UNCLEAR $n; exit 1; }",
    test: "true",
    gate: { max: 1 },
  });
  const first = await watch(subject, () => runs.start({ source, id: "twice" }));
  const again = await watch(subject, () => runs.rerun({ run: "twice", fromStart: true }));
  for (const { result, calls } of [first, again]) {
    expect(result).toMatchObject({ status: "done", outputs: { passed: true, retries: 1 } });
    expect(calls).toHaveLength(2);
    expectOneSession(calls);
  }
  expect(again.calls[0]!.prompt).not.toContain("UNCLEAR");
  expect(again.calls[0]!.session).not.toBe(first.calls[0]!.session);
});

test("C17/scripted: agents as checks: each judges anew, in a session of its own", async () => {
  await using subject = await startScripted();
  const agent = runner(subject);
  const judged = (passed: boolean) =>
    JSON.stringify({ passed, feedback: passed ? "well" : "NAME IT BETTER" });
  subject.rules(
    { when: { prompt: "Judge it." }, times: 1, do: [{ say: judged(false) }] },
    { when: { prompt: "Judge it." }, do: [{ say: judged(true) }] },
  );
  const source = steps({
    coder: { ...agent, prompt: "echo draft" },
    judge: {
      ...agent,
      prompt: "Judge it. {{ coder.output }}",
      returns: { passed: "boolean", feedback: "string" },
    },
    gate: { "retry-gate": { target: "coder", checks: "judge", max: 3 } },
  });
  const { result, calls } = await watch(subject, () => subject.reprise.runs.start({ source }));
  expect(result.status).toBe("done");
  const isJudge = ({ prompt }: { prompt: string }) => prompt.includes("Judge it.");
  const coder = calls.filter((call) => !isJudge(call));
  expect(coder).toHaveLength(2);
  expectOneSession(coder);
  expect(coder[1]!.prompt).toContain("NAME IT BETTER");
  const judges = calls.filter(isJudge);
  expect(judges.map(({ earlier }) => earlier)).toEqual([0, 0]);
  expect(new Set(judges.map(({ session }) => session)).size).toBe(2);
});
