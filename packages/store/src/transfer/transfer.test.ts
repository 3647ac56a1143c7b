/** A database that is copied from SQLite to PostgreSQL, as often interrupted as possible. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../../../test/postgres/cluster.ts";
import { openPostgresStore } from "../postgres/open.ts";
import { textFrom } from "../postgres/text.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import type { Store } from "../store.ts";
import { allDue, approval, item, stream, waiting } from "../suite/runs/run-samples.ts";
import {
  agent,
  checkpoint,
  finish,
  hold,
  message,
  opening,
  owner,
  part,
  pin,
} from "../suite/samples.ts";
import { scratchFolder } from "../suite/sqlite-scratch.ts";
import { TransferSource } from "./source.ts";
import { tablesOf } from "./tables.ts";
import { TransferTarget } from "./target.ts";
import { Interrupted, move, someHome } from "./test-move.ts";

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start();
});

afterAll(() => cluster.remove());

/** A database with the newest schema, closed after `fill`. */
async function database(fill: (store: Store) => Promise<unknown> = async () => {}) {
  const path = join(scratchFolder(), "reprise.db");
  const store = await openSqliteStore(path);
  await fill(store);
  await store.close();
  return path;
}

async function opened<Opened extends { close(): Promise<void> }>(opening: Promise<Opened>) {
  const store = await opening;
  onTestFinished(() => store.close());
  return store;
}

const json =
  /^(?:turn\.(?:usage|request|asked)|attempt\.(?:launch|decision)|pin\.data|event\.data)$/;

/** Rows that are hard to copy, in every table; those with equal numbers refer to each other. */
function fillEveryTable(path: string): void {
  using sqlite = new DatabaseSync(path);
  for (const { name, columns } of tablesOf(sqlite)) {
    const kinds = sqlite.prepare("SELECT * FROM pragma_table_info(?) ORDER BY cid").all(name);
    const insertion = sqlite.prepare(
      `INSERT INTO "${name}" (${columns.map((column) => `"${column}"`).join(", ")})
       VALUES (${columns.map(() => "?").join(", ")})`,
    );
    insertion.setReadBigInts(true);
    for (const row of [0, 1, 2])
      insertion.run(
        ...kinds.map(({ name: column, type, notnull, pk }) => {
          if (row === 0 && !notnull && !pk) return null;
          if (type === "BLOB") return Buffer.from([0, row, 255, 26]);
          if (type !== "TEXT") return 2n ** 60n + BigInt(row);
          if (json.test(`${name}.${column}`))
            return `{ "row" : ${row}, "text": "\\u0000\\u001a0 é" }`;
          return `${row} \0 \u001a \u001a0 "quoted" \\ 'é' \u{1f600}`;
        }),
      );
  }
}

test("every table is copied exactly, interrupted after each batch", async () => {
  const path = await database();
  fillEveryTable(path);
  const url = await cluster.createDatabase();
  let starts = 0;
  for (;;)
    try {
      starts += 1;
      const { tables, resumed } = await move({ path, url, batches: 1 });
      expect(resumed).toBe(true);
      expect(tables.every(({ rows }) => rows === 3)).toBe(true);
      expect(starts).toBeGreaterThan(2 * tables.length);
      break;
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      if (starts > 1) continue;
      await expect(openPostgresStore(url)).rejects.toMatchObject({
        name: "StoreError",
        code: "store-incomplete",
      });
    }

  using sqlite = new DatabaseSync(path);
  for (const { name, columns } of tablesOf(sqlite)) {
    const list = columns.map((column) => `"${column}"`).join(", ");
    const here = sqlite.prepare(`SELECT ${list} FROM "${name}"`);
    here.setReadBigInts(true);
    const there = (await cluster.query(`SELECT ${list} FROM "${name}"`, url)) as object[];
    expect({ name, rows: there.map((row) => plain(row, textFrom)) }).toEqual({
      name,
      rows: here.all().map((row) => plain(row)),
    });
  }
});

/** With the values of both databases written in one way. */
function plain(row: object, read = (stored: string) => stored): object {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (value instanceof Uint8Array) return [column, Buffer.from(value).toString("hex")];
      if (typeof value === "bigint") return [column, String(value)];
      if (typeof value === "object" && value !== null)
        return [column, JSON.parse(read(JSON.stringify(value)))];
      if (typeof value !== "string") return [column, value];
      return [column, value.startsWith("{") ? JSON.parse(read(value)) : read(value)];
    }),
  );
}

test("what waits continues after the move, and a reader of events misses none", async () => {
  const path = await database(async (store) => {
    await store.recordBoot({ boot: "monday", at: 1 });
    await store.createAgent(agent());
    const bytes = Buffer.alloc(5000, "line\n");
    await store.finishTurn(
      finish(await hold(store, "t1", "a"), {
        pin: pin("h1"),
        messages: [message("m1", { text: "a\0b" })],
        checkpoint: checkpoint([part("session.jsonl", 0, bytes)]),
      }),
    );
    await store.openTurn({ ...opening("t2", "a"), busy: "queue" });
    await waiting(store, "r1", item("i1", { sessions: ["a"], deadline: Date.now() + 3_600_000 }));
    await store.checkWritable();
    await store.recordBoot({ boot: "tuesday", at: 2 });
  });
  const url = await cluster.createDatabase();
  const { tables } = await move({ path, url });
  const before = await opened(openSqliteStore(path));
  const after = await opened(openPostgresStore(url));

  for (const read of [
    (store: Store) => store.readTurn("t1"),
    (store: Store) => store.readTurn("t2"),
    (store: Store) => store.readTranscript("a"),
    (store: Store) => store.readSession("a"),
    (store: Store) => store.readItem("i1"),
    (store: Store) => store.readRun("r1"),
    (store: Store) => store.readEvents({ after: 0, limit: 1000 }),
    (store: Store) => store.lastEvent(),
    (store: Store) => stream(store, "r1"),
  ])
    expect(await read(after)).toEqual(await read(before));
  expect(tables.find(({ table }) => table === "message")).toMatchObject({ rows: 1 });

  const last = await before.lastEvent();
  expect(await after.recordBoot({ boot: "tuesday", at: 3 })).toBe(false);
  expect(await after.answerItem(approval("i1"))).toMatchObject({ given: true });
  const [next, ...others] = await after.readEvents({ after: last, limit: 1000 });
  expect(next).toMatchObject({ type: "gate.answered" });
  for (const { seq } of [next!, ...others]) expect(seq).toBeGreaterThan(last);
  await after.checkWritable();
  await waiting(after, "r2", item("i2", { deadline: 9000 }));
  expect(await allDue(after)).toEqual(["deadline:i2"]);
  expect(await after.claimTurn({ turn: "t2", owner: owner(2), at: 5 })).toMatchObject({
    granted: true,
  });
});

describe("a source", () => {
  test("that has changed since the copy began is copied from the beginning", async () => {
    const path = await database((store) => createAgents(store, ["a", "b", "c"]));
    const url = await cluster.createDatabase();
    await expect(move({ path, url, rows: 1, batches: 2 })).rejects.toThrow(Interrupted);
    const home = await openSqliteStore(path);
    await home.createAgent(agent({ name: "aa" }));
    await home.close();
    const { tables } = await move({ path, url });
    expect(tables.find(({ table }) => table === "agent")).toMatchObject({ rows: 4 });
    const store = await opened(openPostgresStore(url));
    expect((await store.listAgents()).map(({ name }) => name)).toEqual(["a", "aa", "b", "c"]);
  });

  test("that another program has open is refused, and cannot be opened during the copy", async () => {
    const path = await database();
    const url = await cluster.createDatabase();
    const home = await openSqliteStore(path);
    await expect(move({ path, url })).rejects.toMatchObject({
      name: "BusyError",
      code: "store-in-use",
    });
    await home.createAgent(agent());
    await home.close();
    const source = TransferSource.open(path);
    await expect(openSqliteStore(path, { busyTimeout: 0 })).rejects.toMatchObject({
      code: "store-busy",
    });
    source.close();
    await (await openSqliteStore(path)).close();
  });
});

describe("a target", () => {
  const other = { ...someHome, id: "home-2", path: "/srv/ben" };

  test.each([
    ["tables of another program", "CREATE TABLE session (id INT)", "tables of another program"],
    ["a newer schema", null, "schema version 9999"],
  ])("with %s is refused", async (_, sql, words) => {
    const path = await database();
    const url = await cluster.createDatabase();
    if (sql === null) await (await openPostgresStore(url)).close();
    await cluster.query(sql ?? "UPDATE schema_version SET version = 9999", url);
    await expect(move({ path, url })).rejects.toThrow(words);
  });

  test("that has been used is refused, also after a copy into it", async () => {
    const path = await database((store) => createAgents(store, ["a"]));
    const url = await cluster.createDatabase();
    const used = await openPostgresStore(url);
    await used.recordHome(someHome);
    await move({ path, url });
    await used.close();
    await move({ path, url });
    await (await openPostgresStore(url)).close();
    await expect(move({ path, url })).rejects.toMatchObject({
      name: "UsageError",
      code: "store-not-empty",
      message: expect.stringContaining("rows in its table agent"),
    });
  });

  test("of another home is refused, whether it is used or being filled", async () => {
    const path = await database((store) => createAgents(store, ["a", "b"]));
    const refusal = {
      name: "BusyError",
      code: "store-of-another-home",
      message: expect.stringContaining("/srv/ben on host"),
    };
    const used = await cluster.createDatabase();
    const store = await openPostgresStore(used);
    await store.recordHome(other);
    await store.close();
    await expect(move({ path, url: used })).rejects.toMatchObject(refusal);

    const filling = await cluster.createDatabase();
    const begun = move({ path, url: filling, home: other, rows: 1, batches: 1 });
    await expect(begun).rejects.toThrow(Interrupted);
    await expect(move({ path, url: filling })).rejects.toMatchObject(refusal);
  });

  test("that two processes copy into is refused to the second", async () => {
    const path = await database();
    const url = await cluster.createDatabase();
    const first = await opened(TransferTarget.open({ url, database: "home", home: someHome }));
    await expect(move({ path, url })).rejects.toMatchObject({ code: "store-busy" });
    await first.close();
  });

  test("that differs at the end is not used, and is copied anew by the next start", async () => {
    const path = await database((store) => createAgents(store, ["a", "b"]));
    const url = await cluster.createDatabase();
    await expect(move({ path, url, rows: 2, batches: 1 })).rejects.toThrow(Interrupted);
    await cluster.query("DELETE FROM agent WHERE name = 'a'", url);
    await expect(move({ path, url })).rejects.toMatchObject({
      code: "transfer-differs",
      message: expect.stringContaining("has 1 rows"),
    });
    await cluster.query("UPDATE agent SET provider = 'x'", url);
    expect(await move({ path, url })).toMatchObject({ resumed: false });
    const store = await opened(openPostgresStore(url));
    expect(await store.listAgents()).toMatchObject([{ provider: "scripted" }, { name: "b" }]);
  });
});

async function createAgents(store: Store, names: readonly string[]): Promise<void> {
  for (const name of names) await store.createAgent(agent({ name }));
}
