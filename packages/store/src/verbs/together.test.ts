import { expect, test } from "vitest";
import type { Query } from "./db.ts";
import { drive, nothing, together } from "./row.ts";

/** A query of statements whose results are waited for, or not, as on one of the databases. */
function* query(log: string[], statements: readonly string[], waits: boolean): Query<string> {
  for (const statement of statements) {
    log.push(statement);
    if (statement === "fail") throw new Error("failed");
    if (waits) yield Promise.resolve();
  }
  return statements.join("");
}

test("queries that wait for nothing run to their end one after the other", () => {
  const log: string[] = [];
  const all = together(query(log, ["a", "b"], false), nothing(), query(log, ["c"], false));
  expect(all.next()).toEqual({ done: true, value: ["ab", null, "c"] });
  expect(log).toEqual(["a", "b", "c"]);
});

test("queries that wait send their first statements before any of them has a result", async () => {
  const log: string[] = [];
  const all = together(query(log, ["a", "b"], true), query(log, ["c", "d", "e"], true));
  const step = all.next();
  expect(log).toEqual(["a", "c"]);
  expect(await drive(all, step)).toEqual(["ab", "cde"]);
  expect(log).toEqual(["a", "c", "b", "d", "e"]);
});

test("the first failure is the result, once all have ended", async () => {
  const log: string[] = [];
  const failing = query(log, ["a", "fail"], true);
  const all = together(failing, query(log, ["b", "c", "d", "e"], true));
  await expect(drive(all)).rejects.toThrow("failed");
  expect(log).toEqual(["a", "b", "fail", "c", "d", "e"]);
});

test("without waiting, a failure ends it at once", () => {
  const log: string[] = [];
  const all = together(query(log, ["fail"], false), query(log, ["b"], false));
  expect(() => all.next()).toThrow("failed");
  expect(log).toEqual(["fail"]);
});
