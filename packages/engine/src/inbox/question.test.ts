/** What an agent asks in the middle of a run stands in the inbox, and its answer carries the run on. */

import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openReprise } from "../open-reprise.ts";

let folder: string;
let reprise: Reprise;

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
  folder = realpathSync(mkdtempSync(join(tmpdir(), "reprise-question-")));
  const rules = [{ when: { prompt: "choose" }, times: 1, do: [{ ask: "Which database?" }] }];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  reprise = await open();
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

function open(): Promise<Reprise> {
  return openReprise({ home: join(folder, "home"), cwd: folder });
}

/** How often the model was asked, by the agent's own ledger. */
function asked(): number {
  const ledger = readFileSync(join(folder, "agent", "ledger.jsonl"), "utf8");
  return ledger.split("\n").filter((line) => line.includes('"event":"model"')).length;
}

test("the question of a node parks the run; its answer goes on in the same turn", async () => {
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

  reprise = await open();
  const answered = await reprise.inbox.answer({ item: item!.id, text: "SQLite", by: "ann" });
  expect(answered).toMatchObject({ given: true, run: { status: "done" } });
  const run = await reprise.runs.show("q1");
  expect(run.executions.slice(0, 2)).toMatchObject([
    { id: "coder", status: "done", attempt: 1, turn: item?.id },
    { id: "after", status: "done", outcome: "resume", session: "wf:q1:agent:coder" },
  ]);
  expect(asked()).toBe(3);
  expect(await reprise.inbox.list()).toEqual([]);
  expect(await reprise.inbox.answer({ item: item!.id, text: "SQLite", by: "bob" })).toMatchObject({
    given: false,
  });
  await expect(
    reprise.inbox.answer({ item: item!.id, text: "MySQL", by: "bob" }),
  ).rejects.toMatchObject({ code: "answered", exitCode: 1 });
});

test("a turn that is answered without its run leaves the run to whoever carries it on", async () => {
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
