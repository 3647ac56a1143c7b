/** C20 on the scripted agent: its session file is replaced by a summary. */

import { appendFileSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { type Compacting, compaction } from "./c20-compaction.cases.ts";
import { type ScriptedSubject, startScripted } from "./scripted-subject.ts";
import { codes, key, recall, secret } from "./subject.ts";

const troubles = {
  overflow: ["overflow-as-success"],
  overloaded: [{ fail: { status: 503, message: "Overloaded" } }],
};

const scripted: Compacting<ScriptedSubject> = {
  start: startScripted,
  everyMoment: true,
  async lengthen(subject) {
    for (let turn = 1; turn <= 4; turn += 1)
      await subject.send(`echo part ${turn} ${"word ".repeat(200)}`);
  },
  runInto: (subject, ...launches) =>
    subject.script(...launches.map((trouble) => (trouble ? troubles[trouble] : []))),
  compacts: ({ argv }) => argv.includes("--compact"),
  promptCalls: ({ calls }) => calls,
};

compaction("scripted", scripted);

async function asked() {
  const subject = await startScripted();
  const id = await subject.begin();
  await scripted.lengthen(subject);
  await subject.reprise.sessions.compact({ key, focus: "the parser" });
  return { subject, id };
}

test("C20/scripted: the session shrinks, and its summary has the focus that was asked for", async () => {
  const { subject, id } = await asked();
  await using _ = subject;
  const before = statSync(subject.sessionFile(id)).size;
  const { calls } = await subject.send(recall);
  expect(calls).toMatchObject([{ session: id, earlier: 1 }]);
  expect(statSync(subject.sessionFile(id)).size).toBeLessThan(before / 4);
  expect(subject.ledger("compact")).toMatchObject([{ history: 10, focus: "the parser" }]);
  expect(readFileSync(subject.sessionFile(id), "utf8")).toContain("Focus: the parser");
});

test("C20/scripted: what was typed in the agent's own program is imported before it is compacted", async () => {
  const { subject, id } = await asked();
  await using _ = subject;
  const typed = [
    { role: "user", text: "remember PEAR-1" },
    { role: "assistant", text: "I will remember PEAR-1" },
  ];
  for (const item of typed) appendFileSync(subject.sessionFile(id), `${JSON.stringify(item)}\n`);
  const { turn } = await subject.send(recall);
  expect(turn.output).toBe("PEAR-1");
  expect(codes(turn)).toEqual(["native-turns", "compaction"]);
  const reseeded = await subject.send(recall, { continuity: "reseed" });
  expect(reseeded.turn.output).toBe("PEAR-1");
});

test("C20/scripted: a turn that was kept for its tools stays known to a session that is compacted", async () => {
  const { subject, id } = await asked();
  await using _ = subject;
  await subject.reprise.sessions.compact({ key });
  subject.rules({
    when: { compact: false },
    times: 1,
    do: [{ tool: "make" }, { fail: { status: 503 } }],
  });
  await subject.send("echo build");
  await subject.reprise.sessions.compact({ key });
  const { turn, calls } = await subject.send(recall);
  expect(turn.output).toBe(secret);
  expect(codes(turn)).toEqual(["unconfirmed-kept", "compaction"]);
  expect(calls[0]).toMatchObject({ session: id });
  expect(calls[0]!.prompt).toContain("Your previous turn was cut off.");
  const next = await subject.send("echo on");
  expect(codes(next.turn)).toEqual([]);
  expect(next.launches).toMatchObject([{ resumed: id }]);
});

test("C20/scripted: a held session that overflows is compacted as well, since that replaces nothing", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  await scripted.lengthen(subject);
  await subject.reprise.sessions.hold({ key });
  scripted.runInto(subject, "overflow");
  const { turn, launches } = await subject.send(recall);
  expect(launches.every(({ resumed }) => resumed === id)).toBe(true);
  expect(turn).toMatchObject({ turn: { status: "done" }, output: secret });
});

test("C20/scripted: overflow of a session that was just compacted ⇒ a summary of ours, not a second compaction", async () => {
  const { subject, id } = await asked();
  await using _ = subject;
  scripted.runInto(subject, null, "overflow");
  const { turn, launches } = await subject.send(recall);
  expect(launches.map(({ resumed }) => resumed)).toEqual([id, id, null]);
  expect(launches.filter(scripted.compacts)).toHaveLength(1);
  expect(turn).toMatchObject({ decision: { outcome: "reseed" }, output: secret });
});

test("C20/scripted: opening the session by hand does not wait for a compaction, and the next turn compacts it", async () => {
  const { subject, id } = await asked();
  await using _ = subject;
  expect(await subject.cli("sessions", "open", key).ended).toMatchObject({ code: 0 });
  expect(subject.ledger("compact")).toEqual([]);
  expect(await subject.reprise.turns.why(key)).toMatchObject({
    decision: { outcome: "resume", prepare: [], notices: [] },
  });
  const { turn, launches } = await subject.send(recall);
  expect(launches.map(scripted.compacts)).toEqual([true, false]);
  expect(launches.every(({ resumed }) => resumed === id)).toBe(true);
  expect(turn.output).toBe(secret);
});

test("C20/scripted: an answer that was not saved is noticed in a session that was compacted", async () => {
  const { subject } = await asked();
  await using _ = subject;
  await subject.send("echo on");
  subject.misbehave("ghost");
  expect(codes((await subject.send("echo unsaved")).turn)).toEqual(["ghost"]);
});
