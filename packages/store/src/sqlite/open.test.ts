import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { approval, creation, item, step } from "../suite/runs/run-samples.ts";
import { agent, finish, hold, message, opening } from "../suite/samples.ts";
import { openScratch, scratchFolder } from "../suite/sqlite-scratch.ts";
import { latestSchema } from "./migrations/migrations.ts";
import { openSqliteStore } from "./open.ts";

const openModule = fileURLToPath(new URL("./open.ts", import.meta.url));
const mode = (path: string) => statSync(path).mode & 0o777;

function raw(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

/** Every file of the folder with its digest. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ]),
  );
}

async function closedDatabase(folder: string): Promise<string> {
  const path = join(folder, "reprise.db");
  const store = await openSqliteStore(path);
  await store.createAgent(agent());
  await store.close();
  return path;
}

describe("a new database", () => {
  test("is readable by its owner alone, and so are its companions and folder", async () => {
    const folder = join(scratchFolder(), "home", "data");
    const path = join(folder, "reprise.db");
    const store = await openSqliteStore(path);
    onTestFinished(() => store.close());
    await store.createAgent(agent());
    expect(readdirSync(folder).toSorted()).toEqual([
      "reprise.db",
      "reprise.db-shm",
      "reprise.db-wal",
    ]);
    for (const name of readdirSync(folder)) expect(mode(join(folder, name))).toBe(0o600);
    expect(mode(folder)).toBe(0o700);
    expect(mode(join(folder, ".."))).toBe(0o700);
  });

  test("keeps a log, so that readers do not wait for a writer", async () => {
    const { path, store, cleanup } = await openScratch();
    onTestFinished(cleanup);
    const writer = raw(path);
    writer.exec("BEGIN IMMEDIATE; DELETE FROM agent");
    expect(await store.listAgents()).toEqual([]);
  });

  test("is made once by processes that open it at the same moment", async () => {
    const path = join(scratchFolder(), "new", "reprise.db");
    const script = `
      import { openSqliteStore } from ${JSON.stringify(openModule)};
      process.stdin.once("data", async () => {
        const store = await openSqliteStore(${JSON.stringify(path)});
        await store.createAgent({ ...${JSON.stringify(agent())}, name: process.argv[1] });
        await store.close();
        process.stdin.destroy();
      });
      console.log("ready");`;
    const names = ["a", "b", "c", "d"];
    const children = names.map((name) => run(script, [name]));
    await Promise.all(children.map(({ ready }) => ready));
    for (const { child } of children) child.stdin.end("go");
    for (const { ended } of children) expect(await ended).toMatchObject({ code: 0, stderr: "" });

    const store = await openSqliteStore(path);
    onTestFinished(() => store.close());
    expect((await store.listAgents()).map(({ name }) => name)).toEqual(names);
    expect(readdirSync(join(path, "..")).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  test("is not left behind, nor its folder, when there is no space for it", async () => {
    const folder = scratchFolder();
    await expect(
      openSqliteStore(join(folder, "home", "data", "reprise.db"), { maxPages: 4 }),
    ).rejects.toMatchObject({ name: "StoreError", code: "store-full" });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a database that cannot be used is reported, and left as it is", () => {
  test("emptied", async () => {
    const path = join(scratchFolder(), "reprise.db");
    writeFileSync(path, "");
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      code: "store-corrupt",
      message: expect.stringContaining("is empty"),
    });
    expect(readFileSync(path, "utf8")).toBe("");
  });

  test("written by a newer version", async () => {
    const folder = scratchFolder();
    const path = await closedDatabase(folder);
    const database = raw(path);
    database.exec("PRAGMA user_version = 999");
    database.close();
    const before = contents(folder);
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      name: "StoreError",
      code: "store-newer",
      message: expect.stringContaining("999"),
    });
    expect(contents(folder)).toEqual(before);
  });

  test("not a database", async () => {
    const folder = scratchFolder();
    const path = join(folder, "reprise.db");
    writeFileSync(path, "This is a letter.\n".repeat(500));
    const before = contents(folder);
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: "store-corrupt" });
    expect(contents(folder)).toEqual(before);
  });

  test("cut off", async () => {
    const folder = scratchFolder();
    const path = await closedDatabase(folder);
    truncateSync(path, 4096 * 3);
    const before = contents(folder);
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: "store-corrupt" });
    expect(contents(folder)).toEqual(before);
  });

  test("damaged in the middle: found by reads there and by check", async () => {
    const folder = scratchFolder();
    const path = await closedDatabase(folder);
    const database = raw(path);
    const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'agent'").get();
    database.close();
    const page = Number(root?.rootpage);
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096 * (page - 1), 4096 * page);
    writeFileSync(path, bytes);
    const store = await openSqliteStore(path);
    onTestFinished(() => store.close());
    await expect(store.listAgents()).rejects.toMatchObject({ code: "store-corrupt" });
    const report = await store.check({ full: false });
    expect(report.sound).toBe(false);
    expect(report.problems).not.toEqual([]);
  });

  test("busy for longer than the time-out", async () => {
    const { path, store, cleanup } = await openScratch({ busyTimeout: 50 });
    onTestFinished(cleanup);
    await store.createAgent(agent());
    const writer = raw(path);
    writer.exec("BEGIN IMMEDIATE");
    await expect(store.openTurn(opening("t1", "a"))).rejects.toMatchObject({
      name: "StoreError",
      code: "store-busy",
    });
    expect(await store.listAgents()).toHaveLength(1);
    writer.exec("ROLLBACK");
    expect(await store.openTurn(opening("t1", "a"))).toMatchObject({ seq: 1 });
  });

  test("locked while it is opened", async () => {
    const folder = scratchFolder();
    const path = await closedDatabase(folder);
    const holder = raw(path);
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
    await expect(openSqliteStore(path, { busyTimeout: 50 })).rejects.toMatchObject({
      code: "store-busy",
    });
  });

  test("full: what did not fit is not there at all, and what was is", async () => {
    const { store, cleanup } = await openScratch({ maxPages: 120 });
    onTestFinished(cleanup);
    const held = await hold(store, "t1", "a");
    const before = await store.readTurn("t1");
    await expect(
      store.finishTurn(
        finish(held, { messages: [message("m1", { text: "long ".repeat(200_000) })] }),
      ),
    ).rejects.toMatchObject({ name: "StoreError", code: "store-full" });
    expect(await store.readTurn("t1")).toEqual(before);
    expect(await store.readTranscript("a")).toEqual([]);
    await store.finishTurn(finish(held, { messages: [message("m1")] }));
    expect(await store.check({ full: true })).toMatchObject({ sound: true, problems: [] });
  });

  test("in a folder, or a file, that this user cannot write", async () => {
    const folder = scratchFolder();
    const path = await closedDatabase(folder);
    const empty = scratchFolder();
    chmodSync(folder, 0o555);
    chmodSync(path, 0o444);
    chmodSync(empty, 0o555);
    const before = contents(folder);

    const script = `
      import { writeFileSync } from "node:fs";
      import { openSqliteStore } from ${JSON.stringify(openModule)};
      const attempt = async (action) => {
        try { await action(); return "done"; } catch (error) { return error.code; }
      };
      const [file, beside, missing, nested] = process.argv.slice(1);
      console.log(JSON.stringify([
        await attempt(() => writeFileSync(beside, "")),
        await attempt(() => writeFileSync(file, "", { flag: "a" })),
        await attempt(() => openSqliteStore(file)),
        await attempt(() => openSqliteStore(missing)),
        await attempt(() => openSqliteStore(nested)),
      ]));`;
    const { ended } = run(
      script,
      [path, join(folder, "x"), join(empty, "reprise.db"), join(empty, "home", "reprise.db")],
      // Root may write anywhere.
      process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {},
    );
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual([
      "EACCES",
      "EACCES",
      "store-not-writable",
      "store-not-writable",
      "store-not-writable",
    ]);
    expect(contents(folder)).toEqual(before);
    expect(readdirSync(empty)).toEqual([]);
  });

  test("a folder where the file should be, a file where the folder should be", async () => {
    const folder = scratchFolder();
    await expect(openSqliteStore(folder)).rejects.toMatchObject({ code: "store-not-writable" });
    writeFileSync(join(folder, "home"), "a file");
    await expect(openSqliteStore(join(folder, "home", "reprise.db"))).rejects.toMatchObject({
      code: "store-not-writable",
    });
    expect(existsSync(join(folder, "home"))).toBe(true);
  });
});

test("check reports schema, size and soundness", async () => {
  const { store, path, cleanup } = await openScratch();
  onTestFinished(cleanup);
  await store.createAgent(agent());
  for (const full of [false, true]) {
    const report = await store.check({ full });
    expect(report).toMatchObject({ schema: latestSchema, path, sound: true, problems: [] });
    expect(report.bytes).toBeGreaterThan(4096);
  }
});

test("events are redacted as they are written", async () => {
  const { store, path, cleanup } = await openScratch({
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
  });
  onTestFinished(cleanup);
  await store.appendEvents({
    stream: "run:1",
    expectedSeq: 0,
    events: [{ type: "said", data: { text: "the password is hunter2" } }],
    due: [],
    at: 1,
  });
  expect(await store.readEvents({ after: 0, limit: 1 })).toMatchObject([
    { data: { text: "the password is [redacted]" } },
  ]);
  await store.close();
  expect(readFileSync(path).includes("hunter2")).toBe(false);
});

test("what happens in runs is redacted too, and what waits for a person is kept as it is", async () => {
  const { store, cleanup } = await openScratch({
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
  });
  onTestFinished(cleanup);
  const secret = { type: "note", data: "hunter2" };
  const run = await store.createRun(creation("r1", { event: secret }));
  const opens = [item("i1", { message: "Is hunter2 right?" })];
  await store.advanceRun(step(run, { events: [secret], opens }));
  const signal = { run: "r1", event: secret, status: null, ifStatus: ["running"], at: 1 } as const;
  await store.signalRun(signal);
  await store.answerItem(approval("i1", { comment: "hunter2", values: { word: "hunter2" } }));
  const log = await store.readEvents({ after: 0, limit: 9, stream: "run:r1" });
  expect(log.slice(0, 3).map(({ data }) => data)).toEqual(Array(3).fill("[redacted]"));
  expect(log[3]).toMatchObject({
    type: "gate.answered",
    data: { comment: "[redacted]", values: { word: "[redacted]" } },
  });
  expect(await store.readItem("i1")).toMatchObject({
    message: "Is hunter2 right?",
    resolution: { comment: "hunter2" },
  });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A child process that runs the script; `ready` when it says its first word. */
function run(script: string, args: string[], options: { uid?: number; gid?: number } = {}) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script, ...args], {
    ...options,
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ready = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  const ended = Promise.all([
    new Promise<number | null>((resolve) => child.once("close", resolve)),
    text(child.stdout),
    text(child.stderr),
  ]).then(([code, stdout, stderr]): Ended => ({ code, stdout, stderr }));
  return { child, ready, ended };
}
