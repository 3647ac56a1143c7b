/**
 * Two shells on one key: one runs, the other follows `--busy`; kill either at any moment, and the other
 * is served. Who ran, when and how often is judged by the agent's own ledger.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { randomFrom } from "@reprise/store/suite/random";
import { describe, expect, test } from "vitest";
import { until } from "../until.ts";
import { expectTurn, first, kill, SessionQueue, second, third } from "./line.ts";

const opening = "echo the first turn of the session";

describe("the session is in use", () => {
  test("--busy wait, which is what happens without it: served afterwards", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    const b = await line.sendAndWait(second);
    line.release(first);
    line.release(second);
    const [one, two] = [await expectTurn(a, 0, "done"), await expectTurn(b, 0, "done")];
    expect([one.turn.seq, two.turn.seq]).toEqual([1, 2]);
    expect([one.decision?.outcome, two.decision?.outcome]).toEqual(["blank", "resume"]);
    line.expectSent(first, second);
  });

  test("--busy fail: exit code 1, says which turn has it, and leaves no trace", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    const { id } = line.turns()[0]!;
    const ended = await line.send(second, "--busy", "fail").ended;
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        `^reprise: Session shared is in use by turn ${id} of process \\d+ on \\S+ since \\S+\\. Try again later, or send with --busy wait or --busy queue\\.\n$`,
      ),
    });
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: "busy" } });
    line.release(first);
    await expectTurn(a, 0, "done");
    expect(line.statuses()).toEqual({ [first]: "done" });
    line.expectSent(first);
  });

  test("--busy skip: exit code 0, skipped, never sent", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    await expectTurn(line.send(second, "--busy", "skip"), 0, "skipped");
    line.release(first);
    await expectTurn(a, 0, "done");
    expect(line.statuses()).toEqual({ [first]: "done", [second]: "skipped" });
    line.expectSent(first);
  });

  test("--busy queue: exit code 0 at once, and served by the one who has it before that one exits", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    const { turn } = await expectTurn(line.send(second, "--busy", "queue"), 0, "queued");
    line.release(first);
    await line.isAtWork(second);
    expect(a.child.exitCode).toBeNull();
    line.release(second);
    await expectTurn(a, 0, "done");
    expect(line.turns().find(({ id }) => id === turn.id)).toMatchObject({
      status: "done",
      output: "I will remember second",
    });
    line.expectSent(first, second);
  });

  test("three shells are served in the order in which they came", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    const b = await line.sendAndWait(second);
    const c = await line.sendAndWait(third);
    for (const prompt of [third, second, first]) line.release(prompt);
    for (const running of [a, b, c]) await expectTurn(running, 0, "done");
    line.expectSent(first, second, third);
  });
});

describe("kill -9 of the one that has the session", () => {
  test("while its agent works: the other waits for that agent, takes its answer, and is served", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    const b = await line.sendAndWait("what did I ask you to remember?");
    await kill(a);
    await line.hasTurn(first, ({ pid }) => pid === b.child.pid);
    expect(line.ledger("start")).toHaveLength(1);
    line.release(first);

    const { output, decision } = await expectTurn(b, 0, "done");
    expect({ output, outcome: decision?.outcome }).toEqual({ output: "first", outcome: "resume" });
    expect(line.transcript()).toEqual([
      first,
      "I will remember first",
      "what did I ask you to remember?",
      "first",
    ]);
    line.expectSent(first, "what did I ask you to remember?");
  });

  test("and the next command comes only when its agent has ended", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    await kill(a);
    line.release(first);
    await until(() => line.ledger("exit").length === 1);
    const { output } = await expectTurn(line.send("what did I ask you to remember?"), 0, "done");
    expect(output).toBe("first");
    line.expectSent(first, "what did I ask you to remember?");
  });

  test("before its agent was started: interrupted, never sent, and the other is served", async () => {
    const line = await SessionQueue.open();
    await expectTurn(line.send(opening), 0, "done");
    const a = line.sendUpToHistory(first);
    await line.isAtHistory(first, a);
    const b = await line.sendAndWait(second);
    await kill(a);
    line.release(second);
    const { decision } = await expectTurn(b, 0, "done");
    expect(decision?.outcome).toBe("resume");
    expect(line.statuses()).toEqual({
      [opening]: "done",
      [first]: "interrupted",
      [second]: "done",
    });
    line.expectSent(opening, second);
  });

  test("after its agent has ended, before that was recorded: the answer is taken, the other is served", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    line.freeze(a);
    line.release(first);
    const { id } = line.turns()[0]!;
    await until(() => existsSync(join(line.home, "turns", id, "1", "exit")));
    const b = await line.sendAndWait(second);
    await kill(a);
    line.release(second);
    await expectTurn(b, 0, "done");
    expect(line.transcript()).toEqual([
      first,
      "I will remember first",
      second,
      "I will remember second",
    ]);
    line.expectSent(first, second);
  });

  test("with a queued turn behind it: the next command serves that one first", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    await expectTurn(line.send(second, "--busy", "queue"), 0, "queued");
    await kill(a);
    line.release(first);
    line.release(second);
    line.release(third);
    await expectTurn(line.send(third), 0, "done");
    expect(line.statuses()).toEqual({ [first]: "done", [second]: "done", [third]: "done" });
    line.expectSent(first, second, third);
  });
});

describe("kill -9 of the one that waits", () => {
  test("while it is queued: the first is not touched, a third is served", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    const b = await line.sendAndWait(second);
    const c = await line.sendAndWait(third);
    await kill(b);
    line.release(first);
    line.release(third);
    await expectTurn(a, 0, "done");
    await expectTurn(c, 0, "done");
    expect(line.statuses()).toEqual({ [first]: "done", [second]: "interrupted", [third]: "done" });
    line.expectSent(first, third);
  });

  test("right after it was given the session: a third is served", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    const b = await line.sendAndWait(second, line.sendUpToHistory(second));
    line.release(first);
    await expectTurn(a, 0, "done");
    await line.isAtHistory(second, b);
    const c = await line.sendAndWait(third);
    await kill(b);
    line.release(third);
    await expectTurn(c, 0, "done");
    expect(line.statuses()).toEqual({ [first]: "done", [second]: "interrupted", [third]: "done" });
    line.expectSent(first, third);
  });
});

describe("Ctrl-C", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s cancels the turn, ends its agent, exits with %i, and the other is served",
    async (signal, code) => {
      const line = await SessionQueue.open();
      const a = await line.sendAndHold(first);
      const b = await line.sendAndWait(second);
      a.child.kill(signal);
      await expectTurn(a, code, "cancelled");
      expect(line.ledger("exit")[0]).toMatchObject({ signal: "SIGTERM" });
      // The second agent's prompt mentions the first turn, which was cut off.
      line.release(first);
      line.release(second);
      await expectTurn(b, 0, "done");
      line.expectSent(first, second);
    },
  );

  test("of the one that waits: it leaves the queue, and the first is not touched", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    const b = await line.sendAndWait(second);
    b.child.kill("SIGINT");
    await expectTurn(b, 130, "cancelled");
    line.release(first);
    await expectTurn(a, 0, "done");
    line.expectSent(first);
  });

  test("of the one that waits for the agent of a killed one: it leaves, and the agent works on", async () => {
    const line = await SessionQueue.open();
    const a = await line.sendAndHold(first);
    const b = await line.sendAndWait(second);
    await kill(a);
    await line.hasTurn(first, ({ pid }) => pid === b.child.pid);
    b.child.kill("SIGINT");
    await expectTurn(b, 130, "cancelled");
    expect(line.ledger("exit")).toEqual([]);
    const c = line.send(third);
    line.release(first);
    line.release(third);
    await expectTurn(c, 0, "done");
    expect(line.statuses()).toEqual({ [first]: "done", [second]: "cancelled", [third]: "done" });
    line.expectSent(first, third);
  });

  test("a second one ends at once, and the other waits until the agent has ended", async () => {
    const line = await SessionQueue.open(["ignore-sigterm"]);
    const a = await line.sendAndHold(first);
    const b = await line.sendAndWait(second);
    a.child.kill("SIGINT");
    await until(() => line.ledger("ignored").length === 1);
    a.child.kill("SIGINT");
    expect(await a.ended).toMatchObject({ code: 130, signal: null });
    expect(line.ledger("exit")).toEqual([]);
    await line.hasTurn(first, ({ pid }) => pid === b.child.pid);
    expect(line.ledger("start")).toHaveLength(1);
    line.release(first);
    line.release(second);
    await expectTurn(b, 0, "done");
    line.expectSent(first, second);
  });
});

const seed = Number(process.env.REPRISE_CRASH_SEED ?? Date.now() % 1_000_000);

test(`either of two is killed at a random moment, and the other is served (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  const line = await SessionQueue.open();
  const survivors: string[] = [];
  const killed: string[] = [];
  for (let round = 1; round <= 5; round += 1) {
    const prompts = [`echo ${round} of one shell`, `echo ${round} of the other`];
    const doomed = random() < 0.5 ? 0 : 1;
    const shells = prompts.map((prompt) => line.send(prompt));
    await pause(100 + random() * 900);
    shells[doomed]!.child.kill("SIGKILL");
    await expectTurn(shells[1 - doomed]!, 0, "done");
    survivors.push(prompts[1 - doomed]!);
    killed.push(prompts[doomed]!);
  }
  await expectTurn(line.send(opening), 0, "done");

  line.expectOneAtATime();
  const sent = line.sent();
  expect(sent.filter((prompt) => !killed.includes(prompt))).toEqual([...survivors, opening]);
  expect(new Set(sent).size).toBe(sent.length);
  const answered = line.turns().filter(({ status }) => status === "done");
  expect(answered.map(({ prompt }) => prompt).sort()).toEqual(sent.toSorted());
});
