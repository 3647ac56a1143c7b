import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../suite/sqlite-scratch.ts";
import { SqliteConnection, type SqliteOptions } from "./connection.ts";

function use(options: SqliteOptions = {}) {
  const path = join(scratchFolder(), "a.db");
  const db = new SqliteConnection(path, options);
  onTestFinished(() => db.close());
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE word (word TEXT NOT NULL PRIMARY KEY)");
  const other = new SqliteConnection(path, { busyTimeout: 0 });
  onTestFinished(() => other.close());
  const insert = (word: string) => db.run("INSERT INTO word (word) VALUES (:word)", { word });
  const words = (by = other) =>
    by.read(() => by.all<{ word: string }>("SELECT word FROM word ORDER BY word"));
  return { db, other, insert, words: (by?: SqliteConnection) => words(by).map(({ word }) => word) };
}

test("verbs of one turn of the event loop are one transaction, and each returns its own result", async () => {
  const { db, insert, words } = use();
  const seen: unknown[] = [];
  const results = ["a", "b", "c"].map((word) =>
    db.writeTogether(() => {
      insert(word);
      seen.push(words());
      return word.toUpperCase();
    }),
  );
  expect(words()).toEqual([]);
  expect(await Promise.all(results)).toEqual(["A", "B", "C"]);
  expect(words()).toEqual(["a", "b", "c"]);
  expect(seen).toEqual([[], [], []]);
});

test("a verb that fails takes back its own part alone", async () => {
  const { db, insert, words } = use();
  const results = await Promise.allSettled([
    db.writeTogether(() => insert("a")),
    db.writeTogether(() => {
      insert("b");
      throw new RangeError("not b");
    }),
    db.writeTogether(() => {
      insert("c");
      insert("a");
    }),
    db.writeTogether(() => insert("d")),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  expect(results[1]).toMatchObject({ reason: new RangeError("not b") });
  expect(words()).toEqual(["a", "d"]);
});

test("whatever is asked afterwards comes afterwards: a read, a write, the end", async () => {
  const { db, insert, words } = use();
  const first = db.writeTogether(() => insert("a"));
  expect(words(db)).toEqual(["a"]);
  const second = db.writeTogether(() => insert("b"));
  db.write(() => db.run("DELETE FROM word"));
  const third = db.writeTogether(() => insert("c"));
  db.close();
  expect(words()).toEqual(["c"]);
  expect(await Promise.all([first, second, third])).toEqual([1, 1, 1]);
});

test("when the transaction itself fails, nothing is written and every call rejects", async () => {
  const { db, other, insert, words } = use({ busyTimeout: 0 });
  other.exec("BEGIN IMMEDIATE");
  const results = await Promise.allSettled(
    ["a", "b"].map((word) => db.writeTogether(() => insert(word))),
  );
  expect(results).toMatchObject(Array(2).fill({ reason: { code: "store-busy" } }));
  other.exec("ROLLBACK");
  expect(words()).toEqual([]);
  expect(await db.writeTogether(() => insert("c"))).toBe(1);
});

test("when the disk is full for one of them, exactly the resolved writes are there", async () => {
  const { db, insert, words } = use({ maxPages: 20 });
  const results = await Promise.allSettled(
    ["a", "long ".repeat(100_000), "b"].map((word) => db.writeTogether(() => insert(word))),
  );
  expect(results[1]).toMatchObject({ reason: { code: "store-full" } });
  const resolved = results.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
  expect(words()).toEqual(resolved.map((index) => ["a", "long", "b"][index]));
});

/** Whether SQLite waits for the disk at the end of a transaction. */
function waits(db: SqliteConnection): boolean {
  // A function, because a prepared pragma keeps its first value.
  const row = db.get<{ synchronous: number }>("SELECT synchronous FROM pragma_synchronous");
  return row?.synchronous === 2;
}

test.each([
  { batch: ["buffered"], waited: false },
  { batch: ["buffered", "buffered"], waited: false },
  { batch: ["durable"], waited: true },
  { batch: ["durable", "buffered"], waited: true },
  { batch: ["buffered", "durable", "buffered"], waited: true },
  { batch: [undefined, "buffered"], waited: true },
] as const)("the disk is waited for when one verb is durable: $batch", async (row) => {
  const { db, insert } = use();
  // What was written before must not matter.
  for (const before of ["durable", "buffered"] as const) {
    db.write(() => insert(before), before);
    const verbs = row.batch.map((durability, index) =>
      db.writeTogether(() => {
        insert(`${before} ${index}`);
        return waits(db);
      }, durability),
    );
    expect(await Promise.all(verbs)).toEqual(row.batch.map(() => row.waited));
    expect(waits(db)).toBe(row.waited);
  }
});

test("what fails beside others leaves their durability as it was", async () => {
  const { db, insert, words } = use();
  const fails = () => {
    insert("b");
    throw new RangeError("not b");
  };
  const results = await Promise.allSettled([
    db.writeTogether(() => insert("a"), "buffered"),
    db.writeTogether(fails, "durable"),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(waits(db)).toBe(true);
  expect(words()).toEqual(["a"]);
});

test("a write is durable by default, whatever was written before it", async () => {
  const { db, insert } = use();
  await db.writeTogether(() => insert("a"), "buffered");
  expect(waits(db)).toBe(false);
  expect(db.write(() => insert("b") === 1 && waits(db))).toBe(true);
  expect(db.write(() => insert("c") === 1 && waits(db), "buffered")).toBe(false);
  // What waits to be written together is not made less of by what makes it be written.
  const durable = db.writeTogether(() => insert("d") === 1 && waits(db), "durable");
  const buffered = db.write(() => insert("e") === 1 && waits(db), "buffered");
  expect([await durable, buffered]).toEqual([true, false]);
});

test("the log does not grow for ever when nothing durable is written", () => {
  const path = join(scratchFolder(), "a.db");
  const db = new SqliteConnection(path, {});
  onTestFinished(() => db.close());
  // Small pages, of which the log may hold as many as of large ones.
  const page = 512;
  db.exec(`PRAGMA page_size = ${page}; PRAGMA journal_mode = WAL; CREATE TABLE part (data BLOB)`);
  const pages = () => Math.floor(statSync(`${path}-wal`).size / (page + 24));
  const seen: number[] = [];
  for (let written = 0; written < 40_000; written += 1000) {
    const insert = "INSERT INTO part (data) VALUES (zeroblob(:size))";
    db.write(() => db.run(insert, { size: 1000 * page }), "buffered");
    seen.push(pages());
  }
  // None of the first ones has waited for that.
  expect(seen[7]).toBeGreaterThan(8000);
  expect(Math.max(...seen)).toBeLessThan(12_000);
});
