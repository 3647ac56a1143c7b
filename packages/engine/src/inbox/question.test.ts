/** A question that an agent asks during a run is in the inbox, and its answer continues the run. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import type { StoredEvent } from "@reprise/store/contract/events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { Engine } from "../engine.ts";
import { openEngine } from "../open-reprise.ts";

let folder: string;
let engine: Engine;
let reprise: Reprise;
let now: number;

const source = `
name: asks
outputs: { text: after.output }
steps:
  coder:
    agent: scripted
    session: coder
    settings: { script: script.json, home: agent }
    prompt: choose a database
  after:
    needs: coder
    agent: scripted
    session: coder
    settings: { script: script.json, home: agent }
    prompt: echo after it
`;

beforeEach(async () => {
  folder = temporaryFolder("question");
  const rules = [{ when: { prompt: "choose" }, times: 1, do: [{ ask: "Which database?" }] }];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  now = Date.now();
  await open();
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<void> {
  const options = { home: join(folder, "home"), cwd: folder, now: () => now };
  ({ engine, reprise } = await openEngine(options));
}

/** Everything that happened in the home. */
function events(): Promise<StoredEvent[]> {
  return engine.store.readEvents({ after: 0, limit: 1000 });
}

/** How often the model was asked, by the agent's own ledger. */
function asked(): number {
  const ledger = readFileSync(join(folder, "agent", "ledger.jsonl"), "utf8");
  return ledger.split("\n").filter((line) => line.includes('"event":"model"')).length;
}

test("the question of a node parks the run; its answer continues the same turn", async () => {
  const parked = await reprise.runs.start({ source, id: "q1" });
  expect(parked).toMatchObject({ status: "waiting", stalled: false });
  const [item] = await reprise.inbox.list({ run: "q1" });
  expect(item).toMatchObject({
    kind: "question",
    title: "Which database?",
    run: "q1",
    execution: "coder",
    workflow: "asks",
    resolution: null,
  });
  expect(parked.waitsFor).toEqual([item?.id]);
  expect(await reprise.inbox.show(item!.id)).toMatchObject({
    resumability: [{ key: "wf:q1:agent:coder", heldBy: { status: "waiting" } }],
  });
  await reprise.close();

  await open();
  const answered = await reprise.inbox.answer({ item: item!.id, text: "SQLite", by: "ann" });
  expect(answered).toMatchObject({ given: true, run: { status: "done" } });
  const run = await reprise.runs.show("q1");
  expect(run.executions.slice(0, 2)).toMatchObject([
    { id: "coder", status: "done", attempt: 1, turn: item?.id },
    { id: "after", status: "done", outcome: "resume", session: "wf:q1:agent:coder" },
  ]);
  expect(asked()).toBe(3);
  expect(await reprise.inbox.list()).toEqual([]);
});

test("who answered what and when stays in the inbox; the same again changes nothing, another is refused", async () => {
  const { waitsFor } = await reprise.runs.start({ source, id: "q1" });
  const item = waitsFor[0] ?? "";
  const { openedAt } = await reprise.inbox.show(item);
  now += 60_000;
  const resolution = {
    how: "answered",
    choice: null,
    by: "ann",
    comment: null,
    values: { "Which database?": "SQLite" },
    at: now,
  };
  expect(await reprise.inbox.answer({ item, text: "SQLite", by: "ann" })).toMatchObject({
    item: { openedAt, resolution },
  });
  now += 60_000;
  const before = await events();
  expect(before.filter(({ type }) => type.endsWith(".answered"))).toMatchObject([
    { type: "turn.answered", data: { turn: item, by: "ann" } },
    { type: "node.answered", data: { turn: item, by: "ann" } },
  ]);
  expect(
    await reprise.inbox.answer({ item: item.slice(0, 8), text: "SQLite", by: "bob" }),
  ).toMatchObject({ given: false, item: { resolution } });
  await expect(reprise.inbox.answer({ item, text: "MySQL", by: "bob" })).rejects.toMatchObject({
    code: "answered",
    exitCode: 1,
    message: expect.stringMatching(/^"Which database\?" was already answered: SQLite by ann at /),
  });
  expect(await events()).toEqual(before);
  expect(await reprise.inbox.list({ all: true, run: "q1" })).toMatchObject([
    { id: item, kind: "question", run: "q1", openedAt, resolution },
  ]);
});

test("of two answers at once, one finds that it was answered, and the run gets one name", async () => {
  const { waitsFor } = await reprise.runs.start({ source, id: "q1" });
  const item = waitsFor[0] ?? "";
  const answers = await Promise.all(
    ["ann", "bob"].map((by) => reprise.inbox.answer({ item, text: "SQLite", by })),
  );
  expect(answers.map(({ given }) => given).toSorted()).toEqual([false, true]);
  const [{ by } = { by: null }] = answers.flatMap(({ item: { resolution } }) => resolution ?? []);
  const answered = (await events()).filter(({ type }) => type.endsWith(".answered"));
  expect(answered).toMatchObject([{ data: { turn: item, by } }, { data: { turn: item, by } }]);
});

test("a turn that is answered without its run leaves the run to its next owner", async () => {
  const { waitsFor } = await reprise.runs.start({ source, id: "q1" });
  await reprise.turns.answer({ turn: waitsFor[0] ?? "", text: "SQLite" });
  expect(await reprise.runs.show("q1")).toMatchObject({ status: "running", stalled: true });
  expect(await reprise.runs.recover()).toMatchObject([{ id: "q1", status: "done" }]);
});

test("cancelling the run ends the turn that waits, and the session is free", async () => {
  const { waitsFor } = await reprise.runs.start({ source, id: "q1" });
  expect(await reprise.runs.cancel({ run: "q1" })).toMatchObject({ status: "cancelled" });
  expect((await reprise.turns.why(waitsFor[0] ?? "")).turn.status).toBe("cancelled");
  expect(await reprise.inbox.list()).toEqual([]);
  expect(await reprise.inbox.list({ all: true })).toMatchObject([
    { id: waitsFor[0], resolution: { how: "cancelled", choice: null, by: null } },
  ]);
  const sent = await reprise.sessions.send({
    key: "wf:q1:agent:coder",
    prompt: "echo free",
    busy: "fail",
  });
  expect(sent.turn.status).toBe("done");
});

test("a run that fails elsewhere does not leave its question open", async () => {
  const failing = `${source}  broken: { shell: exit 1 }\n`;
  const run = await reprise.runs.start({ source: failing, id: "q1" });
  expect(run).toMatchObject({ status: "failed", error: { code: "exit-code" }, waitsFor: [] });
  const { turn } = run.executions.find(({ id }) => id === "coder") ?? {};
  expect((await reprise.turns.why(turn ?? "")).turn.status).toBe("cancelled");
  expect(await reprise.inbox.list()).toEqual([]);
});
