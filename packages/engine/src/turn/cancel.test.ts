/** A turn is cancelled by its id or its key, whichever process owns it. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise, TurnResult } from "@reprise/core/api/reprise";
import { CancelReason } from "@reprise/core/session/cancel-reason";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { Engine } from "../engine.ts";
import { openEngine } from "../open-reprise.ts";

const key = "wf:8:agent:coder";
let folder: string;
let engine: Engine;
let reprise: Reprise;

beforeEach(async () => {
  folder = temporaryFolder("cancel");
  const rules = [
    { when: { prompt: "hang" }, do: ["model", "hang"] },
    { when: { prompt: "choose" }, do: [{ ask: "Which database?" }] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  ({ engine, reprise } = await openEngine({ home: join(folder, "home"), cwd: folder }));
  const settings = { script: join(folder, "script.json"), home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  await reprise.sessions.send({ key, agent: "coder", prompt: "remember PLUM-1" });
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

/** Sends a prompt; comes back when the agent works on it. */
async function launched(prompt: string): Promise<{ id: string; ending: Promise<TurnResult> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let id = "";
  const ending = reprise.sessions.send(
    { key, prompt },
    {
      onOpened: (turn) => {
        id = turn;
      },
      onProgress: ({ type }) => type === "launched" && resolve(),
    },
  );
  await Promise.race([promise, ending]);
  return { id, ending };
}

test("the turn's own caller sees that it was cancelled, and the session continues", async () => {
  const { ending } = await launched("hang");
  const cancelled = await reprise.turns.cancel(key);
  expect(cancelled.turn).toMatchObject({ seq: 2, status: "cancelled" });
  expect(cancelled.attempts).toMatchObject([{ ending: "cancelled" }]);
  expect(await ending).toEqual(cancelled);
  const next = await reprise.sessions.send({ key, prompt: "what did I ask you to remember?" });
  expect(next).toMatchObject({ decision: { outcome: "resume" }, output: "PLUM-1" });
});

test("a queued turn never starts", async () => {
  const first = await launched("hang");
  const { promise, resolve } = Promise.withResolvers<string>();
  const second = reprise.sessions.send({ key, prompt: "hang" }, { onOpened: resolve });
  const id = await promise;
  expect(await reprise.turns.cancel(id)).toMatchObject({
    turn: { id, status: "cancelled" },
    attempts: [],
  });
  expect(await second).toMatchObject({ turn: { id, status: "cancelled" } });
  await reprise.turns.cancel(first.id);
  expect((await first.ending).turn.status).toBe("cancelled");
});

test("what waits for an answer is taken back; what has ended stays as it is", async () => {
  const asked = await reprise.sessions.send({ key, prompt: "choose" });
  expect(asked.turn.status).toBe("waiting");
  expect((await reprise.turns.cancel(asked.turn.id)).turn.status).toBe("cancelled");
  expect(await reprise.inbox.list()).toEqual([]);
  const done = await reprise.sessions.send({ key, prompt: "echo on" });
  const { notices, ...left } = await reprise.turns.cancel(done.turn.id);
  expect({ ...left, notices: [] }).toEqual(done);
  expect(notices).toEqual([{ code: "already-ended", text: expect.stringContaining(done.turn.id) }]);
});

/** Who the log says has cancelled a turn. */
async function cancellers(turn: string): Promise<unknown[]> {
  const events = await engine.store.readEvents({ after: 0, limit: 1000 });
  return events
    .filter(({ type }) => type === "turn.finished")
    .map(({ data }) => data as { turn: string; by?: string })
    .filter((data) => data.turn === turn)
    .map(({ by }) => by);
}

test("who cancelled is recorded for a running, queued or waiting turn; null without a name", async () => {
  const first = await launched("hang");
  const { promise, resolve } = Promise.withResolvers<string>();
  const second = reprise.sessions.send({ key, prompt: "hang" }, { onOpened: resolve });
  const inLine = await reprise.turns.cancel(await promise, { by: "ben" });
  expect(inLine.error).toMatchObject({
    code: "cancelled",
    message: `ben cancelled turn ${inLine.turn.id} while it was queued; nothing was sent.`,
    by: "ben",
  });
  expect(await second).toEqual(inLine);
  const atWork = await reprise.turns.cancel(first.id, { by: "ana" });
  expect(atWork.error).toMatchObject({ message: "ana cancelled the turn.", by: "ana" });
  expect(await first.ending).toEqual(atWork);
  const asked = await reprise.sessions.send({ key, prompt: "choose" });
  const waiting = await reprise.turns.cancel(asked.turn.id, { by: "cyd" });
  expect(waiting.error).toMatchObject({
    message: `cyd cancelled turn ${asked.turn.id} while it waited for an answer.`,
    by: "cyd",
  });
  const nobodys = await launched("hang");
  const cancelled = await reprise.turns.cancel(nobodys.id);
  expect(cancelled.error).toMatchObject({ message: "The turn was cancelled." });
  await nobodys.ending;

  for (const [{ turn }, by] of [
    [atWork, "ana"],
    [inLine, "ben"],
    [waiting, "cyd"],
    [cancelled, undefined],
  ] as const)
    expect(await cancellers(turn.id)).toContain(by);
  const { recent } = await reprise.sessions.show(key);
  expect(recent.map(({ cancelledBy }) => cancelledBy)).toEqual([null, "cyd", "ben", "ana", null]);
  await expect(reprise.turns.cancel(key, { by: "" })).rejects.toMatchObject({ code: "bad-input" });
});

test("the reason of a signal names who cancels", async () => {
  const stop = new AbortController();
  const cancelled = await reprise.sessions.send(
    { key, prompt: "hang" },
    {
      signal: stop.signal,
      onProgress: ({ type }) => type === "launched" && stop.abort(new CancelReason("ana")),
    },
  );
  expect(cancelled).toMatchObject({ turn: { status: "cancelled" }, error: { by: "ana" } });
});

test("who was first to cancel stays the one, also when the turn's process is gone", async () => {
  const left = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  let id = "";
  const leaving = reprise.sessions.send(
    { key, prompt: "hang" },
    {
      leave: left.signal,
      onOpened: (turn) => {
        id = turn;
      },
      onProgress: ({ type }) => type === "launched" && resolve(),
    },
  );
  await promise;
  left.abort();
  await leaving;
  expect(await reprise.turns.cancel(id, { by: "ana" })).toMatchObject({ error: { by: "ana" } });
  expect(await reprise.turns.cancel(id, { by: "ben" })).toMatchObject({ error: { by: "ana" } });
});
