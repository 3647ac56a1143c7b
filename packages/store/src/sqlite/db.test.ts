import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../suite/sqlite-scratch.ts";
import { Db, type DbOptions } from "./db.ts";

function use(options: DbOptions = {}) {
  const path = join(scratchFolder(), "a.db");
  const db = new Db(path, options);
  onTestFinished(() => db.close());
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE word (word TEXT NOT NULL PRIMARY KEY)");
  const other = new Db(path, { busyTimeout: 0 });
  onTestFinished(() => other.close());
  const insert = (word: string) => db.run("INSERT INTO word (word) VALUES (:word)", { word });
  const words = (by = other) =>
    by.read(() => by.all<{ word: string }>("SELECT word FROM word ORDER BY word"));
  return { db, other, insert, words: (by?: Db) => words(by).map(({ word }) => word) };
}

test("verbs of one turn of the event loop are one transaction, and each tells its own result", async () => {
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

test("when the transaction itself fails, nothing is written and every caller is told", async () => {
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

test("when the disk is full for one of them, what was told is there, and nothing else", async () => {
  const { db, insert, words } = use({ maxPages: 20 });
  const results = await Promise.allSettled(
    ["a", "long ".repeat(100_000), "b"].map((word) => db.writeTogether(() => insert(word))),
  );
  expect(results[1]).toMatchObject({ reason: { code: "store-full" } });
  const told = results.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
  expect(words()).toEqual(told.map((index) => ["a", "long", "b"][index]));
});
