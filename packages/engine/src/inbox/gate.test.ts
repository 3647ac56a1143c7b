/** A gate holds the sessions of its run, and shows before anybody answers whether they could be resumed. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
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
  approve: { needs: coder, gate: Go on? }
  after:
    needs: approve
    agent: scripted
    session: coder
    settings: { home: agent }
    prompt: what did I ask you to remember?
`;
const key = "wf:w1:agent:coder";

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "reprise-gate-")));
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

test("the sessions are held until the answer, and go on with it", async () => {
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
