import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openScratch } from "../../suite/sqlite-scratch.ts";
import { lastUsedFirst } from "./read-sessions.ts";

test("sessions are listed by last use without sorting them", async () => {
  const { path, cleanup } = await openScratch();
  onTestFinished(cleanup);
  using database = new DatabaseSync(path);
  const plan = database
    .prepare(
      `EXPLAIN QUERY PLAN SELECT * FROM session WHERE (used_at, key) < (1, 'a') ORDER BY ${lastUsedFirst} LIMIT 9`,
    )
    .all();
  expect(plan).toMatchObject([{ detail: expect.stringContaining("USING INDEX session_used") }]);
});
