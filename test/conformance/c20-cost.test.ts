/** C20 on the scripted agent. */

import { expect, test } from "vitest";
import { cost } from "./c20-cost.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { key, recall, secret } from "./subject.ts";

cost("scripted", startScripted);

test("C20/scripted: the usage of retries is summed", async () => {
  await using subject = await startScripted();
  await subject.begin();
  subject.script(["overflow-as-success"]);
  const { turn } = await subject.send(recall);
  expect(turn).toMatchObject({ turn: { status: "done" }, output: secret });
  const [first, second] = turn.attempts.map(({ usage }) => usage!);
  expect(first!.uncached).toBeGreaterThan(0);
  expect(second!.uncached).toBeGreaterThan(0);
  for (const kind of ["cachedRead", "cachedWrite", "uncached", "output"] as const)
    expect(turn.usage![kind]).toBe(first![kind]! + second![kind]!);
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
