/** Runs that cannot be advanced: tried again, then stuck, and retried or cancelled by a person. */

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EventView, Reprise } from "@reprise/core/api/reprise";
import { StoreError } from "@reprise/core/errors/errors";
import type { Store } from "@reprise/store/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { Engine } from "../engine.ts";
import { type OpenOptions, openEngine } from "../open-reprise.ts";

let folder: string;
let opened: Reprise[];
let reports: string[];

beforeEach(() => {
  folder = temporaryFolder("stuck");
  opened = [];
  reports = [];
});

afterEach(async () => {
  for (const reprise of opened) await reprise.close();
  rmSync(folder, { recursive: true });
});

async function open(wrap?: OpenOptions["wrap"]): Promise<{ engine: Engine; reprise: Reprise }> {
  const home = await openEngine({
    home: join(folder, "home"),
    cwd: folder,
    report: (message, details) => reports.push(`${message} ${JSON.stringify(details)}`),
    ...(wrap && { wrap }),
  });
  opened.push(home.reprise);
  return home;
}

/** A store in which steps of runs cannot be written until that is switched off. */
function failing(fault: () => Error | null): OpenOptions["wrap"] {
  const disturbed = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const error = String(name).startsWith("advanceRun") ? fault() : null;
        if (error) return () => Promise.reject(error);
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return { store: disturbed };
}

async function eventsOf(reprise: Reprise, run: string): Promise<EventView[]> {
  const seen: EventView[] = [];
  for await (const event of reprise.runs.events(run, { follow: false })) seen.push(event);
  return seen;
}

const source = `
name: two steps
steps:
  a: { shell: "echo a >> ran" }
  b: { shell: "echo b >> ran", needs: a }
outputs: { said: b.success }
`;

test("W9: five exceptions in a row make a run stuck, and retry continues it from where it was", async () => {
  let broken = true;
  const { engine, reprise } = await open(failing(() => (broken ? new Error("boom") : null)));
  const run = await reprise.runs.start({ source, inputs: {} });

  expect(run).toMatchObject({ status: "stuck", error: { message: "boom" }, endedAt: null });
  expect(reports).toHaveLength(5);
  expect(reports[0]).toContain("boom");
  const [item] = await reprise.inbox.list();
  expect(item).toMatchObject({
    kind: "stuck",
    run: run.id,
    execution: null,
    choices: ["retry", "cancel"],
    message: expect.stringContaining("5 times in a row: boom"),
  });
  expect(run.waitsFor).toEqual([item?.id]);
  expect((await engine.store.readRun(run.id))?.owner).toBeNull();
  // Nothing takes it up by itself.
  expect(await reprise.runs.recover()).toEqual([]);
  expect(await reprise.runs.continue(run.id)).toMatchObject({ status: "stuck" });
  expect(reports).toHaveLength(5);

  broken = false;
  const answered = await reprise.inbox.answer({ item: item!.id, choice: "retry", by: "ana" });
  expect(answered).toMatchObject({ given: true, run: { status: "done", error: null } });
  expect(await reprise.runs.show(run.id)).toMatchObject({ outputs: { said: true }, waitsFor: [] });
  expect((await eventsOf(reprise, run.id)).map(({ type }) => type)).toEqual(
    expect.arrayContaining(["run.stuck", "run.retried", "run.ended"]),
  );
  expect(await engine.store.readRun(run.id)).toMatchObject({ failures: 0 });
});

test("W9: failures are counted over restarts, and a step that could be written begins the count anew", async () => {
  const leave = new AbortController();
  let failures = 0;
  const first = await open(
    failing(() => {
      failures += 1;
      if (failures === 2) leave.abort();
      return new Error("boom");
    }),
  );
  const left = await first.reprise.runs.start({ source, inputs: {} }, { leave: leave.signal });
  expect(left).toMatchObject({ status: "running" });
  expect(await first.engine.store.readRun(left.id)).toMatchObject({ failures: 2, owner: null });

  let more = 0;
  const second = await open(
    failing(() => {
      more += 1;
      return new Error("boom again");
    }),
  );
  expect(await second.reprise.runs.recover()).toMatchObject([{ id: left.id, status: "stuck" }]);
  expect(more).toBe(3);

  let third = 0;
  const last = await open(failing(() => (third++ < 4 ? new Error("boom") : null)));
  const [item] = await last.reprise.inbox.list();
  const { run } = await last.reprise.inbox.answer({ item: item!.id, choice: "retry", by: "ana" });
  expect(run).toMatchObject({ status: "done" });
});

test("W9: a store that cannot be used makes no run stuck", async () => {
  let full = true;
  const noSpace = () => new StoreError("store-full", "No space is left.", "Make room.");
  const { engine, reprise } = await open(failing(() => (full ? noSpace() : null)));
  await expect(reprise.runs.start({ source, inputs: {}, id: "r1" })).rejects.toMatchObject({
    code: "store-full",
  });
  for (let look = 0; look < 6; look += 1) await reprise.runs.recover();
  expect(reports).toHaveLength(6);
  expect(await engine.store.readRun("r1")).toMatchObject({ status: "running", failures: 0 });
  full = false;
  expect(await reprise.runs.recover()).toMatchObject([{ id: "r1", status: "done" }]);
});

/** As a version of Reprise wrote it that took such a file. */
async function unreadable({ store, owner, now }: Engine, id: string): Promise<void> {
  const data = {
    workflow: "endless",
    source: "name: endless\nsteps:\n  a: &x { constant: [*x] }\n",
    format: 1,
    inputs: {},
    folder,
    path: null,
    trigger: null,
    by: null,
  };
  const event = { type: "run.started", data };
  const run = await store.createRun({
    id,
    workflow: "endless",
    path: null,
    event,
    owner,
    at: now(),
  });
  await store.takeRun({ run: id, token: run.token, owner: null });
}

test("W9: a run whose file cannot be read becomes stuck, can be shown, and is ended by cancel", async () => {
  const { engine, reprise } = await open();
  await unreadable(engine, "r1");
  expect(await reprise.runs.recover()).toMatchObject([{ id: "r1", status: "stuck" }]);
  expect(await reprise.runs.show("r1")).toMatchObject({
    status: "stuck",
    source: expect.stringContaining("endless"),
    executions: [],
  });
  const [item] = await reprise.inbox.list();
  expect(item?.message).toContain("The alias *x");

  // It fails again, and the same item asks again once it is answered.
  const again = await reprise.inbox.answer({ item: item!.id, choice: "retry", by: "ana" });
  expect(again.run).toMatchObject({ status: "stuck" });
  const [second, ...others] = await reprise.inbox.list();
  expect(others).toEqual([]);
  expect(second?.id).not.toBe(item?.id);

  const ended = await reprise.inbox.answer({ item: second!.id, choice: "cancel", by: "ana" });
  expect(ended.run).toMatchObject({ status: "cancelled" });
  expect(await reprise.inbox.list()).toEqual([]);
});

test("W9: cancel ends a stuck run and what it had started", async () => {
  let broken = false;
  const { engine, reprise } = await open(failing(() => (broken ? new Error("boom") : null)));
  const started = join(folder, "started");
  const slow = `name: slow\nsteps:\n  a: { shell: "touch started; sleep 600" }\n  b: { shell: "sleep 600", needs: a }\n`;
  const run = reprise.runs.start({ source: slow, inputs: {}, id: "r1" });
  while (!existsSync(started)) await new Promise(setImmediate);
  broken = true;
  // What others write is noticed, and then the step that follows cannot be written.
  const cancelling = reprise.runs.cancel({ run: "r1", by: "ana" });
  expect(await cancelling).toMatchObject({ status: "cancelled" });
  await run;
  expect(await engine.launcher.spooled("shell-")).toEqual([]);
  expect(await reprise.inbox.list()).toEqual([]);
});

test("W9: only retry and cancel are answers to a stuck run", async () => {
  const { reprise } = await open(failing(() => new Error("boom")));
  await reprise.runs.start({ source, inputs: {} });
  const [item] = await reprise.inbox.list();
  await expect(
    reprise.inbox.answer({ item: item!.id, choice: "approve", by: "ana" }),
  ).rejects.toMatchObject({ code: "unknown-choice" });
  await expect(reprise.inbox.answer({ item: item!.id, by: "ana" })).rejects.toMatchObject({
    code: "no-choice",
  });
  expect((await reprise.inbox.list())[0]?.resolution).toBeNull();
});
