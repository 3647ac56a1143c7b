/** A turn is cancelled by its id or its key, whoever carries it. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Reprise, TurnResult } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openReprise } from "../open-reprise.ts";

const key = "wf:8:agent:coder";
let folder: string;
let reprise: Reprise;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "reprise-cancel-"));
  const rules = [
    { when: { prompt: "hang" }, do: ["model", "hang"] },
    { when: { prompt: "choose" }, do: [{ ask: "Which database?" }] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
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

test("the turn's own caller sees that it was cancelled, and the session goes on", async () => {
  const { ending } = await launched("hang");
  const cancelled = await reprise.turns.cancel(key);
  expect(cancelled.turn).toMatchObject({ seq: 2, status: "cancelled" });
  expect(cancelled.attempts).toMatchObject([{ ending: "cancelled" }]);
  expect(await ending).toEqual(cancelled);
  const next = await reprise.sessions.send({ key, prompt: "what did I ask you to remember?" });
  expect(next).toMatchObject({ decision: { outcome: "resume" }, output: "PLUM-1" });
});

test("one that stands in line never starts", async () => {
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
  expect(await reprise.turns.cancel(done.turn.id)).toEqual(done);
});
