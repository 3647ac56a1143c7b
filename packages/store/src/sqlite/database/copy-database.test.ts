import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { clock } from "../../suite/fixture.ts";
import { allDue, approval, item, stream, waiting } from "../../suite/runs/run-samples.ts";
import { agent, finish, hold, pin } from "../../suite/samples.ts";
import { openScratch, scratchFolder } from "../../suite/sqlite-scratch.ts";
import { openSqliteStore } from "../open.ts";
import { copyDatabase, overwriteDatabase } from "./copy-database.ts";

async function scratch() {
  const opened = await openScratch();
  onTestFinished(opened.cleanup);
  return opened;
}

test("a copy is one private file, as of one moment, while others write", async () => {
  const { store, path } = await scratch();
  await store.createAgent(agent());
  await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
  using writer = new DatabaseSync(path);
  writer.exec("BEGIN IMMEDIATE; DELETE FROM agent");

  const copy = join(scratchFolder(), "copy.connection");
  expect(await store.backup(copy)).toMatchObject({ sessions: 1, turns: 1 });
  expect(readdirSync(dirname(copy))).toEqual(["copy.connection"]);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  writer.exec("COMMIT");

  const copied = await openSqliteStore(copy, { now: () => clock.now });
  onTestFinished(() => copied.close());
  expect(await copied.listAgents()).toHaveLength(1);
  expect(await copied.readTurn("t1")).toEqual(await store.readTurn("t1"));
  expect(await store.listAgents()).toEqual([]);
});

test("a copy has the runs and their items, and they continue from it", async () => {
  const { store } = await scratch();
  await store.finishTurn(finish(await hold(store, "t1", "a")));
  await waiting(store, "r1", item("i1", { sessions: ["a"], deadline: 9000 }));
  const copy = join(scratchFolder(), "copy.connection");
  await store.backup(copy);
  const copied = await openSqliteStore(copy, { now: () => clock.now });
  onTestFinished(() => copied.close());
  expect(await copied.check({ full: true })).toMatchObject({ sound: true });
  expect(await copied.readRun("r1")).toEqual(await store.readRun("r1"));
  expect(await copied.readItem("i1")).toEqual(await store.readItem("i1"));
  expect(await stream(copied, "r1")).toEqual(await stream(store, "r1"));
  expect(await copied.readSession("a")).toMatchObject({ held: [{ by: "gate:i1" }] });
  expect(await copied.answerItem(approval("i1"))).toMatchObject({ given: true });
  expect(await copied.listActiveRuns({ limit: 99 })).toMatchObject([
    { id: "r1", status: "running" },
  ]);
  expect(await allDue(copied)).toEqual([]);
  expect(await store.readItem("i1")).toMatchObject({ resolution: null });
});

test("a copy gives no number of an event again that was given after it was made", async () => {
  const { store } = await scratch();
  const machine = { boot: "monday", at: 1 };
  await store.recordBoot(machine);
  const copy = join(scratchFolder(), "copy.connection");
  await store.backup(copy);
  await store.createAgent(agent());
  const copied = await openSqliteStore(copy, { now: () => clock.now });
  onTestFinished(() => copied.close());
  await copied.recordBoot(machine);
  expect(await copied.lastEvent()).toBeGreaterThan(await store.lastEvent());
});

test("a copy never replaces a file, and a failure leaves none", async () => {
  const { store, path } = await scratch();
  await expect(store.backup(path)).rejects.toMatchObject({ code: "EEXIST" });
  const copy = join(scratchFolder(), "copy.connection");
  await expect(copyDatabase(join(dirname(copy), "missing.connection"), copy)).rejects.toThrow();
  expect(existsSync(copy)).toBe(false);
});

test("an open database gets the content of another, once who writes has ended", async () => {
  const source = await scratch();
  await source.store.createAgent(agent({ name: "new" }));
  const { store, path, reopen } = await scratch();
  await store.createAgent(agent({ name: "old" }));
  const other = await reopen();
  expect(await other.listAgents()).toMatchObject([{ name: "old" }]);

  using writer = new DatabaseSync(path);
  writer.exec("BEGIN IMMEDIATE");
  const overwritten = overwriteDatabase(source.path, path);
  expect(await other.listAgents()).toMatchObject([{ name: "old" }]);
  writer.exec("COMMIT");
  await overwritten;

  expect(await other.listAgents()).toMatchObject([{ name: "new" }]);
  await other.createAgent(agent({ name: "newer" }));
  expect(await store.listAgents()).toHaveLength(2);
  expect(await store.check({ full: true })).toMatchObject({ sound: true });
});

test("pins move with the folder that their provider sessions live in", async () => {
  const { store } = await scratch();
  const lives = (place: string) => ({
    handle: { id: place, place },
    runtime: { ...pin("x").runtime, home: place },
  });
  const places = ["/old/agents/coder", "/old", "/older/coder", "/elsewhere"];
  for (const [index, place] of places.entries())
    await store.finishTurn(
      finish(await hold(store, `t${index}`, `k${index}`), { pin: pin(place, lives(place)) }),
    );
  expect(await store.rebasePins({ from: "/old", to: "/new/home" })).toBe(2);
  const moved = await Promise.all(
    places.map(async (_, index) => (await store.listPins(`k${index}`))[0]),
  );
  expect(moved.map((each) => each?.handle.place)).toEqual([
    "/new/home/agents/coder",
    "/new/home",
    "/older/coder",
    "/elsewhere",
  ]);
  expect(moved.map((each) => each?.runtime.home)).toEqual(moved.map((each) => each?.handle.place));
});
