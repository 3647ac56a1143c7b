import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openScratch } from "../../suite/sqlite-scratch.ts";
import { isActive } from "./run-row.ts";

test("waiting runs, however many, are not scanned to find active ones", async () => {
  const { path, cleanup } = await openScratch();
  onTestFinished(cleanup);
  using database = new DatabaseSync(path);
  const plan = database
    .prepare(`EXPLAIN QUERY PLAN SELECT * FROM run WHERE ${isActive} ORDER BY started_at, id`)
    .all();
  expect(plan).toMatchObject([{ detail: "SCAN run USING INDEX run_carried" }]);
});
