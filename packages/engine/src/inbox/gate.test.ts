/** A gate holds the sessions of its run, and shows before an answer whether they could be resumed. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openReprise } from "../open-reprise.ts";

let folder: string;
let reprise: Reprise;

const source = `
name: weekend
outputs: { text: after.output }
steps:
  coder:
    agent: scripted
    session: coder
    settings: { home: agent }
    prompt: remember PLUM-1
  approve: { needs: coder, gate: Continue? }
  after:
    needs: approve
    agent: scripted
    session: coder
    settings: { home: agent }
    prompt: what did I ask you to remember?
`;
const key = "wf:w1:agent:coder";

beforeEach(async () => {
  folder = temporaryFolder("gate");
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

test("the sessions are held until the answer, and continue with it", async () => {
  const { waitsFor } = await reprise.runs.start({ source, id: "w1" });
  const item = waitsFor[0] ?? "";
  expect(await reprise.inbox.show(item.slice(0, 8))).toMatchObject({
    id: item,
    sessions: [key],
    resumability: [{ key, decision: { outcome: "resume" }, heldBy: null }],
  });
  await expect(reprise.sessions.archive(key)).rejects.toMatchObject({ code: "held" });
  const { run } = await reprise.inbox.answer({ item, choice: "approve", by: "ann" });
  expect(run).toMatchObject({ status: "done" });
  expect(await reprise.runs.show("w1")).toMatchObject({ outputs: { text: "PLUM-1" } });
  expect((await reprise.sessions.show(key)).held).toEqual([]);
});

test("a late answer says when the item closed, and where to look", async () => {
  const clock = { now: Date.parse("2026-03-01T10:00:00Z") };
  await reprise.close();
  reprise = await openReprise({ home: join(folder, "home"), now: () => clock.now });
  const expiring = "name: late\nsteps:\n  ask: { gate: { title: Ship it?, deadline: 1h } }\n";
  const { waitsFor } = await reprise.runs.start({ source: expiring, id: "l1" });
  const item = waitsFor[0] ?? "";
  clock.now += 5 * 60 * 60 * 1000;
  const late = { item, choice: "approve", by: "ann" };
  // Settled by the first who comes too late; the second finds it settled.
  for (const by of ["ann", "bob"])
    await expect(reprise.inbox.answer({ ...late, by })).rejects.toMatchObject({
      code: "expired",
      exitCode: 1,
      message: 'The deadline of "Ship it?" has passed (2026-03-01T11:00:00.000Z).',
      hint: `See it with reprise.inbox.show("${item}").`,
    });

  const gated = "name: ended\nsteps:\n  ask: { gate: Ship it? }\n";
  const [open = ""] = (await reprise.runs.start({ source: gated, id: "l2" })).waitsFor;
  await reprise.runs.cancel({ run: "l2" });
  await expect(reprise.inbox.answer({ ...late, item: open })).rejects.toMatchObject({
    code: "cancelled",
    message: '"Ship it?" is no longer open: its run ended at 2026-03-01T15:00:00.000Z.',
    hint: `See it with reprise.inbox.show("${open}").`,
  });
});

test("a history that was lost shows as one that will be restored", async () => {
  const { waitsFor } = await reprise.runs.start({ source, id: "w1" });
  rmSync(join(folder, "agent"), { recursive: true });
  expect((await reprise.inbox.show(waitsFor[0] ?? "")).resumability).toMatchObject([
    { decision: { outcome: "resume", prepare: ["restore"] } },
  ]);
});

test("a session that could not be used at all is shown with the reason", async () => {
  mkdirSync(join(folder, "work"));
  const { waitsFor } = await reprise.runs.start({ source, id: "w1", folder: "work" });
  rmSync(join(folder, "work"), { recursive: true });
  expect((await reprise.inbox.show(waitsFor[0] ?? "")).resumability).toMatchObject([
    { key, decision: { outcome: "refuse", error: { code: "folder-missing" } } },
  ]);
});

test("a session that was purged all the same is shown as one that begins anew", async () => {
  const { waitsFor } = await reprise.runs.start({ source, id: "w1" });
  await reprise.sessions.purge(key, { force: true });
  expect((await reprise.inbox.show(waitsFor[0] ?? "")).resumability).toMatchObject([
    { key, decision: { outcome: "blank", notices: [{ code: "purged" }] } },
  ]);
});

test("S0: a form is not filled in by a text, a denial or nothing at all", async () => {
  const form =
    "name: f\nsteps:\n  ask: { gate: { title: Ship it?, fields: [{ name: tag, type: string, default: x }] } }\n";
  const [item = ""] = (await reprise.runs.start({ source: form, id: "f1" })).waitsFor;
  for (const words of [
    { text: "no" },
    { deny: "no" },
    { answers: { "Ship it?": "no" } },
    {},
    { deny: "no", values: {} },
    { text: "no", choice: "approve" },
  ])
    await expect(reprise.inbox.answer({ item, by: "ann", ...words })).rejects.toMatchObject({
      exitCode: 2,
    });
  expect(await reprise.inbox.list()).toMatchObject([{ id: item, resolution: null }]);
  const { run } = await reprise.inbox.answer({ item, by: "ann", values: {} });
  expect(run).toMatchObject({ status: "done" });
});
