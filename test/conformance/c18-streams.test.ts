/** C18 on the scripted agent: whatever comes out of an agent, and whatever it leaves running. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "@reprise/core/api/reprise";
import { identify } from "@reprise/providers/launch/process";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { type ScriptedSubject, startScripted } from "./scripted-subject.ts";
import { codes, gone, recall, secret, witnessed } from "./subject.ts";

/** Sends a turn and collects the pieces of text that a caller is shown meanwhile. */
async function listen(subject: ScriptedSubject, prompt: string) {
  const texts: string[] = [];
  const onProgress = (progress: Progress) => {
    if (progress.type === "text") texts.push(progress.text);
  };
  const seen = await subject.send(prompt, {}, { onProgress });
  return { ...seen, texts };
}

/** The next turn continues the session with all that was said. */
async function goesOn(subject: ScriptedSubject, id: string, earlier = 4): Promise<void> {
  const next = await subject.send(recall);
  expect(witnessed(next, id)).toBe("resume");
  expect(next.calls).toMatchObject([{ earlier }]);
  expect(next.turn.output).toBe(secret);
}

test("C18/scripted: lines that are split across chunks, also inside characters", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const answer = "Grüße 🎉 aus Köln";
  subject.script(["split", { say: answer }]);
  const { turn, texts } = await listen(subject, "greet");
  expect(turn).toMatchObject({ turn: { status: "done" }, output: answer });
  expect(texts).toEqual([answer]);
  await goesOn(subject, id);
});

test("C18/scripted: a line of 50 MB", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const size = 50 * 1024 * 1024;
  subject.script(["session", { "big-line": size }]);
  const { turn, texts } = await listen(subject, "echo small");
  expect(turn).toMatchObject({ turn: { status: "done" }, output: "small" });
  expect(texts.map((text) => text.length)).toEqual([
    size - '{"type":"text","text":""}\n'.length,
    5,
  ]);
  await goesOn(subject, id);
});

test("C18/scripted: bad UTF-8, noise, and warnings on standard error", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  subject.script([
    "noise",
    "bad-utf8",
    { stderr: "No session found with id 1" },
    "answer",
    "noise",
  ]);
  const { turn, texts } = await listen(subject, "echo fine");
  expect(turn).toMatchObject({ turn: { status: "done" }, output: "fine" });
  expect(texts).toEqual(["caf\ufffd", "fine"]);
  await goesOn(subject, id);
});

test("C18/scripted: the id arrives late, in a new session and in a resumed one", async () => {
  await using subject = await startScripted();
  subject.script(["late-id"], ["late-id"]);
  const id = await subject.begin();
  const { turn } = await subject.send("echo on");
  expect(turn).toMatchObject({ turn: { status: "done" }, output: "on" });
  await goesOn(subject, id);
});

test("C18/scripted: history that is replayed on load does not count as answer, tool or usage of this turn", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  await subject.send("run tool make");
  subject.script(["replay"]);
  const { turn, texts } = await listen(subject, "echo on");
  expect(turn).toMatchObject({ turn: { status: "done" }, output: "on" });
  expect(turn.attempts).toMatchObject([{ tools: false }]);
  expect(texts).toEqual(["on"]);
  expect(turn.usage?.output).toBe(1);
  await goesOn(subject, id, 7);
});

test("C18/scripted: running totals are counted once", async () => {
  await using subject = await startScripted();
  const answers = ["echo one", "echo two", "echo three"];
  const usages = [];
  for (const prompt of answers) usages.push((await subject.send(prompt)).turn.usage);
  // Four characters are one token; what was said before is read from the cache.
  const sent = subject.witness.calls().map(({ prompt }) => Math.ceil(prompt.length / 4));
  expect(usages.map((usage) => usage?.output)).toEqual([1, 1, 2]);
  expect(usages.map((usage) => usage?.uncached)).toEqual(sent);
  expect(usages.map((usage) => usage?.cachedRead)).toEqual([
    0,
    sent[0]! + 1,
    sent[0]! + 1 + sent[1]! + 1,
  ]);
});

test("C18/scripted: a prompt of 1 MB arrives whole", async () => {
  await using subject = await startScripted();
  const prompt = `${"ä".repeat(512 * 1024)}\necho received`;
  const { turn, calls } = await subject.send(prompt);
  expect(turn).toMatchObject({ turn: { status: "done" }, output: "received" });
  expect(calls[0]?.prompt === prompt).toBe(true);
  const next = await subject.send("how many turns?");
  expect(next.turn.output).toBe("This is turn 2.");
});

test("C18/scripted: an agent that ignores SIGTERM is gone when its turn was cancelled", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  subject.script(["ignore-sigterm", "model", { touch: "here" }, "hang"]);
  const stop = new AbortController();
  const sent = subject.send("echo on", {}, { signal: stop.signal });
  await subject.touched("here");
  stop.abort();
  const { turn } = await sent;
  expect(turn.turn.status).toBe("cancelled");
  expect(subject.ledger("ignored")).toHaveLength(1);
  expect(subject.ledger("exit")).toHaveLength(1);
  const [, ignored] = subject.ledger("start");
  expect(identify(ignored!.pid)).toBeNull();
  await goesOn(subject, id, 2);
});

test("C18/scripted: a tool's child in its own group is ended with a cancelled turn", async () => {
  await using subject = await startScripted();
  await subject.begin();
  const child = { file: "ticks", seconds: 60, "own-group": true, "ignore-sigterm": true };
  subject.script([{ "tool-child": child }, { touch: "here" }, "hang"]);
  const stop = new AbortController();
  const sent = subject.send("echo on", {}, { signal: stop.signal });
  await subject.touched("here");
  stop.abort();
  expect((await sent).turn.turn.status).toBe("cancelled");
  expect(identify(childOf(subject))).toBeNull();
});

test("C18/scripted: a tool's child that outlives its agent is named, and left alone", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const child = { file: "ticks", seconds: 60, "own-group": true };
  subject.script([{ tool: "serve" }, { "tool-child": child }]);
  const { turn } = await subject.send("echo on");
  expect(turn.turn.status).toBe("done");
  const pid = childOf(subject);
  expect(codes(turn)).toContain("survivors");
  expect(turn.notices.find(({ code }) => code === "survivors")?.text).toContain(String(pid));
  expect(identify(pid)).not.toBeNull();

  await goesOn(subject, id, 5);
  const ticks = readFileSync(join(subject.root, "ticks")).length;
  await until(() => readFileSync(join(subject.root, "ticks")).length > ticks);
  process.kill(pid, "SIGKILL");
  await gone(turn.turn.id);
});

function childOf(subject: ScriptedSubject): number {
  return Number(subject.ledger("tool-child")[0]?.child);
}
