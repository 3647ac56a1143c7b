/** A turn that asks is parked, and continues with its answer in another process, days later. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tamper } from "../../../../test/crash/database.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openReprise } from "../open-reprise.ts";

const key = "wf:7:agent:coder";
let folder: string;
let reprise: Reprise;

beforeEach(async () => {
  folder = temporaryFolder("answer");
  const rules = [{ when: { prompt: "choose" }, times: 1, do: [{ ask: "Which database?" }] }];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  reprise = await open();
  const settings = { script: join(folder, "script.json"), home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  await reprise.sessions.send({ key, agent: "coder", prompt: "remember PLUM-1" });
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

function open(): Promise<Reprise> {
  return openReprise({ home: join(folder, "home"), cwd: folder });
}

async function reopen(): Promise<void> {
  await reprise.close();
  reprise = await open();
}

/** What the model was sent, by the agent's own ledger. */
function sent(): { prompt: string; history: number }[] {
  const lines = readFileSync(join(folder, "agent", "ledger.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "model");
}

test("the answer continues the same turn in the same provider session", async () => {
  const parked = await reprise.sessions.send({ key, prompt: "choose a database" });
  expect(parked).toMatchObject({
    turn: { seq: 2, status: "waiting" },
    output: null,
    error: null,
    asked: {
      question: { kind: "question", input: { questions: [{ question: "Which database?" }] } },
    },
  });
  await reopen();
  await expect(
    reprise.sessions.send({ key, prompt: "echo other", busy: "fail" }),
  ).rejects.toMatchObject({ code: "busy" });

  const answered = await reprise.turns.answer({ turn: parked.turn.id, text: "SQLite" });
  expect(answered).toMatchObject({
    turn: { id: parked.turn.id, status: "done" },
    output: "I was answered SQLite",
    attempts: [{ ending: "asked" }, { ending: "confirmed", decision: { outcome: "resume" } }],
  });
  expect(sent().at(-1)).toMatchObject({ prompt: "answered SQLite", history: 4 });

  const next = await reprise.sessions.send({ key, prompt: "what did I ask you to remember?" });
  expect(next).toMatchObject({ decision: { outcome: "resume" }, output: "PLUM-1" });
});

test("one answer is taken, and one that answers nothing is not", async () => {
  const { turn } = await reprise.sessions.send({ key, prompt: "choose a database" });
  await expect(reprise.turns.answer({ turn: turn.id })).rejects.toMatchObject({
    code: "unanswered",
  });
  const both = await Promise.allSettled([
    reprise.turns.answer({ turn: turn.id, text: "SQLite" }),
    reprise.turns.answer({ turn: turn.id, text: "PostgreSQL" }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(sent().filter(({ prompt }) => prompt.startsWith("answered"))).toHaveLength(1);
});

test("the same answer again changes nothing and says who answered; another one is refused", async () => {
  const { turn } = await reprise.sessions.send({ key, prompt: "choose a database" });
  const [first, twin] = await Promise.all([
    reprise.turns.answer({ turn: turn.id, text: "SQLite", by: "ann" }),
    reprise.turns.answer({ turn: turn.id, text: "SQLite", by: "ann" }),
  ]);
  const codes = [first, twin].map(({ notices }) => notices.map(({ code }) => code));
  expect(codes.toSorted()).toEqual([[], ["answered-before"]]);
  const events = await reprise.turns.why(turn.id);
  const again = await reprise.turns.answer({ turn: key, text: "SQLite", by: "ben" });
  expect(again).toEqual({
    ...events,
    notices: [
      {
        code: "answered-before",
        text: "It was already answered: SQLite by ann. Nothing changed.",
      },
    ],
  });
  for (const other of [{ text: "PostgreSQL" }, { deny: "Neither." }])
    await expect(reprise.turns.answer({ turn: turn.id, ...other })).rejects.toMatchObject({
      code: "answered",
      exitCode: 1,
      message: expect.stringMatching(
        /^"Which database\?" was already answered: SQLite by ann at \d{4}-/,
      ),
    });
  expect(sent().filter(({ prompt }) => prompt.startsWith("answered"))).toHaveLength(1);
});

test("a no is the same no for another reason", async () => {
  const { turn } = await reprise.sessions.send({ key, prompt: "choose a database" });
  await reprise.turns.answer({ turn: turn.id, deny: "Later." });
  const again = await reprise.turns.answer({ turn: turn.id, deny: "Never." });
  expect(again.notices).toMatchObject([
    { text: "It was already answered: deny. Nothing changed." },
  ]);
});

test("what asked nothing, or was cancelled, takes no answer", async () => {
  await expect(reprise.turns.answer({ turn: key, text: "SQLite" })).rejects.toMatchObject({
    code: "not-waiting",
    exitCode: 1,
  });
  const { turn } = await reprise.sessions.send({ key, prompt: "choose a database" });
  await reprise.turns.cancel(turn.id);
  await expect(reprise.turns.answer({ turn: turn.id, text: "SQLite" })).rejects.toMatchObject({
    code: "cancelled",
    exitCode: 1,
    message: '"Which database?" is no longer open: its turn is cancelled.',
  });
});

test("what was queued behind a question is served after its answer", async () => {
  const { turn } = await reprise.sessions.send({ key, prompt: "choose a database" });
  const queued = await reprise.sessions.send({ key, prompt: "echo later", busy: "queue" });
  expect(queued.turn.status).toBe("queued");
  await reopen();
  const answered = await reprise.turns.answer({ turn: key, text: "SQLite" });
  expect(answered.turn).toMatchObject({ id: turn.id, status: "done" });
  await reopen();
  expect(await reprise.turns.why(key)).toMatchObject({
    turn: { id: queued.turn.id, status: "done" },
    output: "later",
  });
});

test("a denial is sent to the agent", async () => {
  const { turn } = await reprise.sessions.send({ key, prompt: "choose a database" });
  const denied = await reprise.turns.answer({ turn: turn.id, deny: "ask me later" });
  expect(denied).toMatchObject({
    turn: { status: "done" },
    output: "I was answered no: ask me later",
  });
});

test("an answer to a lost session is sent as text, after the transcript", async () => {
  const { turn } = await reprise.sessions.send({ key, prompt: "choose a database" });
  await reprise.close();
  tamper(folder, "DELETE FROM checkpoint_part", "DELETE FROM checkpoint");
  rmSync(join(folder, "agent", "sessions"), { recursive: true });
  reprise = await open();

  const answered = await reprise.turns.answer({ turn: turn.id, text: "SQLite" });
  expect(answered).toMatchObject({ turn: { status: "done" }, decision: { outcome: "reseed" } });
  const { prompt } = sent().at(-1) ?? { prompt: "" };
  expect(prompt).toContain("remember PLUM-1");
  expect(prompt).toContain("choose a database");
  expect(prompt).toMatch(/You asked: Which database\?\nAnswer: SQLite$/);
});
