/** C02 on the scripted agent, whose ids are chosen by Reprise. */

import { expect, test } from "vitest";
import { newIds } from "./c02-new-ids.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { codes, remember } from "./subject.ts";

newIds("scripted", startScripted);

test("C02/scripted: an id that is already in use ⇒ one retry with a new id", async () => {
  await using subject = await startScripted();
  subject.script(["in-use"]);
  const { turn, calls } = await subject.send(remember);
  expect(turn.turn.status).toBe("done");
  expect(calls).toMatchObject([{ prompt: remember, earlier: 0 }]);
  const [taken, used, ...more] = subject.ledger("start").map(({ session }) => session);
  expect(more).toEqual([]);
  expect(used).not.toBe(taken);
  expect(calls[0]?.session).toBe(used);
  expect(codes(turn)).toHaveLength(1);

  const next = await subject.send("echo on");
  expect(next.launches).toMatchObject([{ resumed: used }]);
});

test("C02/scripted: the same on a reseed, whose transcript is sent with the second id too", async () => {
  await using subject = await startScripted();
  await subject.begin();
  subject.script(["in-use"]);
  const { turn, launches, calls } = await subject.send("echo on", { continuity: "reseed" });
  expect(turn.turn.status).toBe("done");
  expect(launches).toMatchObject([{ resumed: null }, { resumed: null }]);
  expect(calls).toMatchObject([{ earlier: 0 }]);
  expect(calls[0]?.prompt).toContain(remember);
});

test("C02/scripted: in use twice ⇒ failed, never a third id", async () => {
  await using subject = await startScripted();
  subject.script(["in-use"], ["in-use"]);
  const { turn, launches, calls } = await subject.send(remember);
  expect(turn.turn.status).toBe("failed");
  expect(turn.error?.code).toBe("id-in-use");
  expect(launches).toHaveLength(2);
  expect(calls).toEqual([]);
});
