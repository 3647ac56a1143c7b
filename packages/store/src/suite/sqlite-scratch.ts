/** Scratch folders for the tests of the SQLite store. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { ConnectionOptions } from "../sqlite/connection.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import type { Store } from "../store.ts";
import type { Opened } from "./fixture.ts";

export function scratchFolder(): string {
  const folder = temporaryFolder("store");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store on a new file, closed when the test ends. */
export async function openScratch(
  options: ConnectionOptions = {},
): Promise<Opened & { path: string }> {
  const folder = temporaryFolder("store");
  const path = join(folder, "reprise.db");
  const opened: Store[] = [];
  const reopen = async () => {
    const store = await openSqliteStore(path, options);
    opened.push(store);
    return store;
  };
  const cleanup = async () => {
    for (const store of opened) await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { store: await reopen(), reopen, cleanup, path };
}
