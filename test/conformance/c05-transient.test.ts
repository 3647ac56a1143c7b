/** C05 on the scripted agent, which can also be killed. */

import { expect, test } from "vitest";
import { cutOffCases } from "./c05-cut-off.cases.ts";
import { transient } from "./c05-transient.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { codes, recall, secret, witnessed } from "./subject.ts";

transient("scripted", startScripted);
cutOffCases("scripted", startScripted);

test("C05/scripted: a used-up quota says until when, and keeps the session", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  subject.script([{ fail: { kind: "quota", status: 429, resetAt: 1_900_000_000_000 } }]);
  const { turn } = await subject.send("echo fails");
  expect(turn).toMatchObject({ turn: { status: "failed" }, error: { code: "quota" } });
  expect(turn.error?.message).toContain("2030-03-17");
  expect(witnessed(await subject.send(recall, { now: true }), id)).toBe("resume");
});

for (const [times, status] of [
  [1, "done"],
  [2, "failed"],
] as const)
  test(`C05/scripted: an agent that did not read its prompt is started once more: ${times} of 2 ⇒ ${status}`, async () => {
    await using subject = await startScripted();
    const id = await subject.begin();
    subject.script(...Array.from({ length: times }, () => [{ fail: { kind: "unsent" } }]));
    const { turn, launches, calls } = await subject.send(recall);
    expect(turn.turn.status).toBe(status);
    expect(launches).toMatchObject([{ resumed: id }, { resumed: id }]);
    expect(calls).toHaveLength(2 - times);
    expect(codes(turn)).toEqual(["second-attempt"]);
    expect(witnessed(await subject.send(recall), id)).toBe("resume");
  });

const moments: readonly (readonly [string, readonly unknown[]])[] = [
  ["before anything", ["crash"]],
  ["when the id was sent", ["session", "crash"]],
  ["when the model was asked", ["model", "crash"]],
  ["when the model was asked and the id not sent", ["late-id", "model", "crash"]],
  ["with its answer printed and saved", ["save", "crash"]],
];

for (const [when, steps] of moments)
  test(`C05/scripted: an agent that is killed ${when} leaves the session as it was`, async () => {
    await using subject = await startScripted();
    const id = await subject.begin();
    subject.script(steps);
    const { turn, launches } = await subject.send("echo fails");
    expect(turn.turn.status).toBe("interrupted");
    expect(launches).toHaveLength(1);
    const next = await subject.send(recall);
    expect(witnessed(next, id)).toBe("resume");
    expect(next.calls).toMatchObject([{ earlier: 2 }]);
    expect(next.turn.output).toBe(secret);
  });
