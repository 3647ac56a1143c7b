/** What claude asks a person: parked without a process, answered a week later by another process that opens the home. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TurnResult } from "@reprise/core/api/reprise";
import { questionTexts } from "@reprise/core/session/question";
import type { ModelRequest, ModelToolCall } from "@reprise/providers/models/model";
import { describe, expect, test } from "vitest";
import { leftOut } from "../agents/agents.ts";
import { type ClaudeSubject, startClaude } from "./claude-subject.ts";
import { codes, gone, key, recall, secret, witnessed } from "./subject.ts";

const week = 7 * 24 * 3600_000;

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: unknown;
}

function question(words: string): ModelToolCall {
  const options = ["SQLite", "PostgreSQL"].map((label) => ({ label, description: label }));
  const questions = [{ question: words, header: "Choice", multiSelect: false, options }];
  return { tool: "AskUserQuestion", input: { questions } };
}

/** The results of tools in what the model was sent last, and the calls that they belong to. */
function lastRequest({ witness }: ClaudeSubject) {
  const body = JSON.parse(witness.wire().at(-1)!) as ModelRequest["body"];
  const messages = body.messages as { role: string; content: string | Block[] }[];
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return {
    calls: blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id),
    results: blocks.filter(({ type }) => type === "tool_result"),
    text: JSON.stringify(body.messages),
  };
}

/** A session that knows the secret, then a turn in which the model asks all of this at once. */
async function ask(subject: ClaudeSubject, ...calls: ModelToolCall[]): Promise<TurnResult> {
  await subject.begin();
  subject.answer([{ calls }]);
  const { turn } = await subject.send("build it");
  expect(turn).toMatchObject({ turn: { status: "waiting" }, output: null, error: null });
  // The shim ends just after it has recorded the exit.
  await gone(turn.turn.id);
  return turn;
}

const reason = leftOut("claude");

describe.skipIf(reason !== null)("claude asks", () => {
  test("a question, answered a week later by another Reprise, is a proper result of the tool", async () => {
    let now = Date.now();
    await using subject = await startClaude({ now: () => now });
    const parked = await ask(subject, question("Which database?"));
    const { question: waiting, lost } = parked.asked!;
    expect(waiting).toMatchObject({ kind: "question", tool: "AskUserQuestion" });
    expect(lost).toEqual([]);
    const id = subject.witness.calls()[0]!.session;

    now += week;
    // A reset policy in between does not come between a question and its answer.
    await subject.open({ now: () => now, settings: { reset: { mode: "daily" } } });
    await expect(subject.send("echo never", { busy: "fail" })).rejects.toMatchObject({
      code: "busy",
    });
    const requests = subject.witness.calls().length;
    const launches = subject.witness.launches().length;
    const answered = await subject.reprise.turns.answer({ turn: key, text: "SQLite" });
    expect(answered).toMatchObject({
      turn: { id: parked.turn.id, status: "done" },
      attempts: [{ ending: "asked" }, { ending: "confirmed", decision: { outcome: "resume" } }],
    });
    expect(subject.witness.launches().slice(launches)).toMatchObject([{ resumed: id }]);
    expect(subject.witness.calls().slice(requests)).toMatchObject([{ session: id }]);
    const { calls, results } = lastRequest(subject);
    expect(calls).toEqual([waiting.id]);
    expect(results).toMatchObject([
      {
        tool_use_id: waiting.id,
        content: expect.stringContaining('"Which database?"="SQLite"'),
      },
    ]);
    expect(results[0]?.is_error).not.toBe(true);

    await subject.open({ now: () => now });
    const next = await subject.send(recall);
    expect(witnessed(next, id)).toBe("resume");
    expect(next.turn.output).toBe(secret);
    expect(codes(next.turn)).toEqual([]);
  });

  test("the answer may come from a process of its own, and what was queued meanwhile follows", async () => {
    await using subject = await startClaude();
    const parked = await ask(subject, question("Which database?"));
    const queued = await subject.send("echo afterwards", { busy: "queue" });
    expect(queued.turn.turn.status).toBe("queued");
    await subject.close();

    const { code, result } = await subject.cli("answer", key, "PostgreSQL").ended;
    expect({ code, result }).toMatchObject({
      code: 0,
      result: { turn: { id: parked.turn.id, status: "done" } },
    });
    const { results } = lastRequest(subject);
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results[0]?.content)).toContain("PostgreSQL");
    const prompts = subject.witness.calls().map(({ prompt }) => prompt.split("\n").at(-1));
    expect(prompts.slice(1)).toEqual(["build it", "build it", "echo afterwards"]);
    expect(subject.turns().map(({ status }) => status)).toEqual(["done", "done", "done"]);
  });

  test("of several questions in one message one is parked, and the answer mentions the others to the agent", async () => {
    await using subject = await startClaude();
    const asked = ["Which database?", "Which port?", "Which name?"];
    const parked = await ask(subject, ...asked.map(question));
    const { question: waiting, lost } = parked.asked!;
    // Their hooks run side by side: the call whose hook ends last stays.
    const texts = [waiting, ...lost].flatMap(questionTexts);
    expect(texts.toSorted()).toEqual(asked.toSorted());

    await subject.open();
    const answered = await subject.reprise.turns.answer({ turn: parked.turn.id, text: "this" });
    expect(answered.turn.status).toBe("done");
    const { calls, results, text } = lastRequest(subject);
    expect(calls).toEqual([waiting.id]);
    expect(results).toMatchObject([{ tool_use_id: waiting.id }]);
    expect(text).toContain("These were asked at the same time and were not answered; ask again:");
    for (const words of lost.flatMap(questionTexts)) expect(text).toContain(`- ${words}`);
  });

  test("a refusal to answer reaches the model as an error of the tool", async () => {
    await using subject = await startClaude();
    const parked = await ask(subject, question("Which database?"));
    const answered = await subject.reprise.turns.answer({
      turn: parked.turn.id,
      deny: "Not before Monday.",
    });
    expect(answered.turn.status).toBe("done");
    expect(lastRequest(subject).results).toMatchObject([
      { tool_use_id: parked.asked!.question.id, is_error: true },
    ]);
    expect(lastRequest(subject).text).toContain("Not before Monday.");
  });

  test("an answer that leads to another question is asked too", async () => {
    await using subject = await startClaude();
    const parked = await ask(subject, question("Which database?"));
    subject.answer([question("Which port?")]);
    const again = await subject.reprise.turns.answer({ turn: parked.turn.id, text: "SQLite" });
    expect(again).toMatchObject({ turn: { id: parked.turn.id, status: "waiting" } });
    expect(questionTexts(again.asked!.question)).toEqual(["Which port?"]);
    await subject.open();
    const done = await subject.reprise.turns.answer({ turn: parked.turn.id, text: "5432" });
    expect(done.turn.status).toBe("done");
    expect(lastRequest(subject).results.map((result) => JSON.stringify(result.content))).toEqual([
      expect.stringContaining("SQLite"),
      expect.stringContaining("5432"),
    ]);
  });

  for (const dies of ["after store.answerTurn", "after launcher.start"] as const)
    test(`an answer whose Reprise is killed ${dies} reaches the model once`, async () => {
      await using subject = await startClaude();
      const parked = await ask(subject, question("Which database?"));
      const turn = parked.turn.id;
      const killed = await subject.caller({ dies, answer: { turn, text: "SQLite" } }).ended;
      expect(killed.signal).toBe("SIGKILL");
      await gone(turn);
      await subject.open();
      const next = await subject.send(recall);
      expect(next.turn.output).toBe(secret);
      expect(await subject.reprise.turns.why(turn)).toMatchObject({ turn: { status: "done" } });
      const prompts = subject.witness.calls().map(({ prompt }) => prompt.split("\n").at(-1));
      expect(prompts.slice(1)).toEqual(["build it", "build it", recall]);
      const { results } = lastRequest(subject);
      expect(results).toHaveLength(1);
      expect(JSON.stringify(results[0]?.content)).toContain("SQLite");
    });

  test("an answer to a session that was lost meanwhile is sent as text, after the transcript", async () => {
    await using subject = await startClaude();
    const parked = await ask(subject, question("Which database?"));
    await subject.changeRuntime();
    const answered = await subject.reprise.turns.answer({ turn: parked.turn.id, text: "SQLite" });
    expect(answered).toMatchObject({ turn: { status: "done" }, decision: { outcome: "reseed" } });
    const { prompt, earlier } = subject.witness.calls().at(-1)!;
    expect(earlier).toBe(0);
    expect(prompt).toContain(secret);
    expect(prompt).toContain("build it");
    expect(prompt).toMatch(/You asked: Which database\?\nAnswer: SQLite$/);
  });
});

describe.skipIf(reason !== null)("claude asks for a permission", () => {
  async function start(): Promise<{ subject: ClaudeSubject; made: string; parked: TurnResult }> {
    const subject = await startClaude();
    const settings = { permissions: "ask", allowedTools: "" };
    await subject.reprise.agents.set({ name: "coder", settings });
    const made = join(subject.folder, "made.txt");
    await subject.begin();
    const { turn } = await subject.send(`run echo done | tee ${made}`);
    expect(turn).toMatchObject({
      turn: { status: "waiting" },
      asked: { question: { kind: "permission", tool: "Bash" }, lost: [] },
    });
    expect(existsSync(made)).toBe(false);
    await subject.open();
    return { subject, made, parked: turn };
  }

  test("allowed: the tool then runs, once, and the turn continues", async () => {
    const { subject, made, parked } = await start();
    await using _ = subject;
    const allowed = await subject.reprise.turns.answer({
      turn: parked.turn.id,
      choice: "allow",
    });
    expect(allowed).toMatchObject({ turn: { status: "done" }, output: "It said: done" });
    expect(readFileSync(made, "utf8")).toBe("done\n");
    expect(lastRequest(subject).results).toMatchObject([
      { tool_use_id: parked.asked!.question.id, content: "done" },
    ]);
    const next = await subject.send(recall);
    expect(next.turn).toMatchObject({ decision: { outcome: "resume" }, output: secret });
  });

  test("denied: it never runs, and the model gets the reason", async () => {
    const { subject, made, parked } = await start();
    await using _ = subject;
    const denied = await subject.reprise.turns.answer({
      turn: parked.turn.id,
      deny: "Nothing is written today.",
    });
    expect(denied.turn.status).toBe("done");
    expect(denied.output).toContain("Nothing is written today.");
    expect(existsSync(made)).toBe(false);
    expect(lastRequest(subject).results).toMatchObject([
      { tool_use_id: parked.asked!.question.id, is_error: true },
    ]);
    const next = await subject.send(recall);
    expect(next.turn).toMatchObject({ decision: { outcome: "resume" }, output: secret });
  });
});
