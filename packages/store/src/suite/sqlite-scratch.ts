/** Scratch folders for the tests of the SQLite store. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import type { SqliteOptions } from "../sqlite/connection.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import type { Store } from "../store.ts";
import { clock, type Opened } from "./fixture.ts";

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "reprise-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let executed = 0;

for (const name of ["get", "all", "run"] as const) {
  const execute = StatementSync.prototype[name] as (...values: unknown[]) => unknown;
  StatementSync.prototype[name] = function (this: StatementSync, ...values: unknown[]) {
    executed += 1;
    return execute.apply(this, values);
  } as never;
}

/** A store on a new file, closed when the test ends. */
export async function openScratch(options: SqliteOptions = {}): Promise<Opened & { path: string }> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-store-"));
  const path = join(folder, "reprise.db");
  const opened: Store[] = [];
  const reopen = async (more: { readonly home?: string } = {}) => {
    const store = await openSqliteStore(path, { now: () => clock.now, ...options, ...more });
    opened.push(store);
    return store;
  };
  const cleanup = async () => {
    for (const store of opened) await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { store: await reopen(), reopen, cleanup, statements: () => executed, path };
}
