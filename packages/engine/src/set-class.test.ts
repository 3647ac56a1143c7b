/** `agents.setClass`: who goes by a changed class, who does not, and what is refused. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Reprise, SetClass } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openReprise } from "./open-reprise.ts";

const source = `
name: w
steps:
  first: { agentClass: reviewer, session: one, prompt: remember PLUM }
  sign-off: { needs: first, gate: Continue? }
  second: { needs: sign-off, agentClass: reviewer, session: one, prompt: what did I ask you to remember? }
`;

let folder: string;
let reprise: Reprise;

beforeEach(async () => {
  folder = temporaryFolder("set-class");
  mkdirSync(join(folder, "there"));
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  await reprise.agents.createClass({
    name: "reviewer",
    provider: "scripted",
    model: "small",
    settings: { instructions: "Find faults." },
  });
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

const set = (change: Omit<SetClass, "name">) =>
  reprise.agents.setClass({ name: "reviewer", ...change });

test("agents that are made from it later begin with the change, those made before stay", async () => {
  const before = await reprise.agents.create({ name: "anna", class: "reviewer" });
  const settings = { instructions: null, home: "elsewhere" };
  const changed = await set({ kind: "background", model: "large", folder: "there", settings });
  const now = {
    kind: "background",
    model: "large",
    folder: join(folder, "there"),
    settings: { home: join(folder, "elsewhere") },
  };
  expect(changed).toMatchObject({ name: "reviewer", provider: "scripted", ...now });
  expect(changed.settings).toEqual(now.settings);
  expect(await reprise.agents.showClass("reviewer")).toEqual(changed);

  expect(await reprise.agents.show("anna")).toEqual(before);
  const after = await reprise.agents.create({ name: "bert", class: "reviewer" });
  expect(after).toMatchObject({ class: "reviewer", ...now });
  expect(await set({ model: null, folder: null })).toMatchObject({ model: null, folder: null });
});

async function runToGate(id: string): Promise<string> {
  const run = await reprise.runs.start({ id, source });
  expect(run.status).toBe("waiting");
  const [item] = await reprise.inbox.list({ run: id });
  return item!.id;
}

/** What the gate says of the session, and what then becomes of it. */
async function approved(item: string, run: string) {
  const { resumability } = await reprise.inbox.show(item);
  const said = resumability.map(({ decision: { outcome, reason } }) => ({ outcome, reason }));
  await reprise.inbox.answer({ item, choice: "approve", by: "ana" });
  const { decision, output } = await reprise.turns.why(`wf:${run}:agent:one`);
  const { outcome, reason } = decision!;
  expect(said).toEqual([{ outcome, reason }]);
  return { outcome, reason, output };
}

test("a session that continues at a node is resumed with the changed class, and the gate says so before", async () => {
  const item = await runToGate("changed");
  await set({ settings: { instructions: "Find none." } });
  expect(await approved(item, "changed")).toEqual({
    outcome: "resume",
    reason: "all-hold",
    output: "PLUM",
  });
  const turns = await reprise.turns.list({ key: "wf:changed:agent:one" });
  expect(new Set(turns.map(({ agent }) => agent)).size).toBe(1);
});

test("set back before the node comes to it, it resumes", async () => {
  const item = await runToGate("back");
  await set({ model: "large" });
  await set({ model: "small" });
  expect(await approved(item, "back")).toEqual({
    outcome: "resume",
    reason: "all-hold",
    output: "PLUM",
  });
});

test.each<[string, SetClass, string]>([
  ["a class that is not there", { name: "reviwer", model: "large" }, "no-class"],
  ["a name that is none", { name: "a/b", model: "large" }, "bad-input"],
  ["a model without a name", { name: "reviewer", model: "" }, "bad-input"],
  ["a folder that is not there", { name: "reviewer", folder: "absent" }, "folder-missing"],
  ["a setting of no such name", { name: "reviewer", settings: { hoem: "x" } }, "unknown-setting"],
  ["one to take away", { name: "reviewer", settings: { hoem: null } }, "unknown-setting"],
  ["a value of no use", { name: "reviewer", settings: { script: "absent" } }, "bad-script"],
  ["what agents have", { name: "reviewer", sessions: "fresh" } as SetClass, "bad-input"],
  ["another provider", { name: "reviewer", provider: "codex" } as SetClass, "bad-input"],
])("%s is refused, and nothing changes", async (_, change, code) => {
  const before = await reprise.agents.listClasses();
  await expect(reprise.agents.setClass({ model: "other", ...change })).rejects.toMatchObject({
    code,
  });
  expect(await reprise.agents.listClasses()).toEqual(before);
});
