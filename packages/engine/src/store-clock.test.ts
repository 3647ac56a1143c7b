import { join } from "node:path";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { StoreClock } from "./home-store.ts";

const day = 24 * 60 * 60 * 1000;

test.each([
  ["a day ahead", day, 0],
  ["an hour behind", -day / 24, 0],
  ["a little ahead", 20, 20],
])("a clock that is %s of the store's is corrected if it matters", async (_, ahead, left) => {
  const path = join(temporaryFolder("clock"), "reprise.db");
  const store = await openSqliteStore(path, { now: () => 1_000_000 });
  onTestFinished(() => store.close());
  const clock = await StoreClock.open(store, () => 1_000_000 + ahead);
  onTestFinished(() => clock.close());
  expect(clock.now()).toBe(1_000_000 + left);
});
