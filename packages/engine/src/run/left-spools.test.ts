/** Spools of scripts after a crash: of those whose end is written nothing stays, the others are still needed. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { localLauncher } from "@reprise/providers/launch/local-launcher";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { until } from "../../../../test/until.ts";
import { openReprise } from "../open-reprise.ts";
import { spoolOf } from "./work/shell.ts";

let folder: string;
let home: string;
let reprise: Reprise | null;

beforeEach(() => {
  folder = temporaryFolder("left");
  home = join(folder, "home");
  reprise = null;
});

afterEach(async () => {
  // Whatever became of the test, its script ends.
  writeFileSync(join(folder, "go"), "");
  await reprise?.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<Reprise> {
  reprise = await openReprise({ home, cwd: folder });
  return reprise;
}

const quick = `
name: quick
outputs: { said: work.output }
steps:
  work: { shell: echo quick }
`;

const slow = `
name: slow
outputs: { said: work.output }
steps:
  work: { shell: "echo ran >> ledger; while [ ! -e go ]; do sleep 0.05; done; echo done" }
`;

const spool = (run: string) => spoolOf({ run, execution: "work", attempt: 1 });
const spools = () => readdirSync(join(home, "turns"));
const state = (run: string) => localLauncher(home).state({ turn: spool(run), attempt: 1 });

/** A run of which the last step was written, and then its process died. */
async function leaveSpool(run: string): Promise<void> {
  const dying = await openReprise({
    home,
    cwd: folder,
    wrap: { launcher: (launcher) => ({ ...launcher, remove: async () => {} }) },
  });
  expect(await dying.runs.start({ source: quick, id: run })).toMatchObject({ status: "done" });
  await dying.close();
  expect(spools()).toContain(spool(run));
}

/** A run that is released while its script runs. */
async function leaveRunning(run: string): Promise<void> {
  const { runs, close } = await open();
  const leave = new AbortController();
  const started = runs.start({ source: slow, id: run }, { leave: leave.signal });
  await until(async () => (await state(run)) === "running");
  leave.abort();
  await started;
  await close();
  reprise = null;
}

test.each<[string, (runs: Reprise["runs"]) => Promise<unknown>]>([
  ["runs are recovered", (runs) => runs.recover()],
  ["the next run begins", (runs) => runs.start({ source: quick, id: "next" })],
])("what was left of an ended script is removed when %s", async (_, next) => {
  await leaveSpool("ended");
  await next((await open()).runs);
  expect(spools()).toEqual([]);
});

test("a script that keeps running keeps its spool, and is not run again", async () => {
  await leaveRunning("live");
  await leaveSpool("ended");
  const recovered = (await open()).runs.recover();
  await until(() => !spools().includes(spool("ended")));
  expect(spools()).toEqual([spool("live")]);
  expect(await state("live")).toBe("running");
  writeFileSync(join(folder, "go"), "");
  expect(await recovered).toMatchObject([{ id: "live", status: "done" }]);
  expect(readFileSync(join(folder, "ledger"), "utf8")).toBe("ran\n");
  expect(spools()).toEqual([]);
});

test("the result of a script that ended meanwhile is taken from its spool", async () => {
  await leaveRunning("live");
  writeFileSync(join(folder, "go"), "");
  await until(async () => (await state("live")) === "ended");
  const { runs } = await open();
  expect(await runs.recover()).toMatchObject([{ id: "live", status: "done" }]);
  expect(await runs.show("live")).toMatchObject({ outputs: { said: "done" } });
  expect(readFileSync(join(folder, "ledger"), "utf8")).toBe("ran\n");
});
