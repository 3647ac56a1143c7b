/** C20 on the scripted agent. */

import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { cost } from "./c20-cost.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { codes, key, recall, secret, witnessed } from "./subject.ts";

cost("scripted", startScripted);

test("C20/scripted: the usage of retries is summed", async () => {
  await using subject = await startScripted();
  await subject.begin();
  subject.script(["overflow-as-success"]);
  const { turn } = await subject.send(recall);
  expect(turn).toMatchObject({ turn: { status: "done" }, output: secret });
  const attempts = turn.attempts.map(({ usage }) => usage!);
  expect(attempts).toHaveLength(3);
  for (const usage of attempts) expect(usage.output).toBeGreaterThan(0);
  for (const kind of ["cachedRead", "cachedWrite", "uncached", "output"] as const)
    expect(turn.usage![kind]).toBe(attempts.reduce((sum, usage) => sum + usage[kind]!, 0));
  const { turns } = await subject.reprise.usage({ key });
  expect(turns![0]!.uncached).toEqual({ tokens: turn.usage!.uncached, known: "measured" });
});

test("C20/scripted: a session that is too old is refused by the key's own budget alone", async () => {
  await using subject = await startScripted();
  await subject.begin();
  await subject.send("echo hi", { key: "another" });
  await subject.reprise.sessions.set({
    key,
    settings: { "budget.maxAge": "1ms", "budget.over": "refuse" },
  });
  const { turn, launches } = await subject.send(recall);
  expect(launches).toEqual([]);
  expect(turn.error?.message).toMatch(/is over its budget: age .* > /);
  const other = await subject.send("echo on", { key: "another" });
  expect(other.turn).toMatchObject({ decision: { outcome: "resume" }, output: "on" });
});

/** A session of many turns, so that a summary of it is shorter than itself. */
async function longSession(settings: Record<string, unknown> = {}) {
  const subject = await startScripted({ settings });
  const id = await subject.begin();
  for (let turn = 1; turn <= 9; turn += 1)
    await subject.send(`echo part ${turn} ${"word ".repeat(200)}`);
  return { subject, id };
}

test("C20/scripted: overflow, and not to be compacted ⇒ Reprise's own summary, and the provider session shrinks", async () => {
  const { subject, id } = await longSession();
  await using _ = subject;
  const before = statSync(subject.sessionFile(id)).size;
  subject.script(["overflow-as-success"], ["overflow-as-success"]);
  const { turn, launches, calls } = await subject.send(recall);
  expect(launches).toMatchObject([{ resumed: id }, { resumed: id }, { resumed: null }]);
  expect(turn).toMatchObject({
    turn: { status: "done" },
    decision: { outcome: "reseed", reason: "healthy", compact: { focus: null } },
    output: secret,
  });
  expect(turn.attempts[0]).toMatchObject({ error: { code: "session-overflow" } });
  expect(codes(turn)).toEqual(["second-attempt", "not-compacted"]);
  const [, summary] = calls;
  expect(summary!.prompt).toContain("user: echo part 2 word");
  expect(summary!.prompt.match(/<reprise:user>/g)).toHaveLength(4);
  expect(statSync(subject.sessionFile(summary!.session)).size).toBeLessThan(before / 2);

  const next = await subject.send(recall);
  expect(next.launches).toMatchObject([{ resumed: summary!.session }]);
  expect(next.turn.output).toBe(secret);
});

test("C20/scripted: a transcript that does not fit is sent in short, and the prompt is not tried a third time", async () => {
  const { subject } = await longSession();
  await using _ = subject;
  subject.script(["overflow-as-success"]);
  const reseeded = await subject.send(recall, { continuity: "reseed" });
  expect(reseeded.turn).toMatchObject({ decision: { compact: { focus: null } }, output: secret });
  expect(reseeded.launches).toHaveLength(2);

  const overflow = ["overflow-as-success"];
  subject.script(overflow, overflow, overflow);
  const failed = await subject.send(recall);
  expect(failed.launches).toHaveLength(3);
  expect(failed.calls).toHaveLength(2);
  expect(failed.turn).toMatchObject({
    turn: { status: "failed" },
    error: { code: "session-overflow" },
  });
  expect((await subject.send(recall)).turn.output).toBe(secret);
});

test("C20/scripted: over its budget ⇒ compacted, and a held session only warned", async () => {
  const { subject, id } = await longSession();
  await using _ = subject;
  const limits = { "budget.maxBytes": 6000, "budget.over": "compact" };
  await subject.reprise.sessions.set({ key, settings: limits });
  await subject.reprise.sessions.hold({ key });
  await expect(subject.reprise.sessions.compact({ key })).rejects.toMatchObject({ code: "held" });
  const held = await subject.send("echo held");
  expect(witnessed(held, id)).toBe("resume");
  expect(codes(held.turn)).toContain("over-budget");

  await subject.reprise.sessions.release({ key });
  const compacted = await subject.send(recall);
  expect(compacted.turn).toMatchObject({
    decision: { outcome: "reseed", reason: "budget", compact: { focus: null } },
    output: secret,
  });
});
