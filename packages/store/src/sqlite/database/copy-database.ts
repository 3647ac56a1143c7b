/**
 * Copies a whole database with SQLite's own backup, as of one moment, while any number of processes use both
 * files: a running read keeps its state, and the next one sees the whole copy or nothing of it.
 */

import { closeSync, openSync, rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { StoreError } from "@reprise/core/errors/errors";
import { storeError } from "../errors.ts";

/** All pages in one step: between steps another writer would restart the backup. */
const everyPage = 2 ** 31 - 1;

const maxWait = 5000;

/** Creates `path`, readable only by its owner. */
export async function copyDatabase(from: string, path: string): Promise<void> {
  closeSync(openSync(path, "wx", 0o600));
  try {
    await overwriteDatabase(from, path);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Gives the database `path` the content of another one, in one transaction. */
export async function overwriteDatabase(from: string, path: string): Promise<void> {
  const end = performance.now() + maxWait;
  try {
    using source = new DatabaseSync(from, { readOnly: true, timeout: maxWait });
    for (;;)
      try {
        await backup(source, path, { rate: everyPage });
        return;
      } catch (error) {
        if (!isHeld(error)) throw error;
        if (performance.now() > end) throw heldError(path);
        await delay(25);
      }
  } catch (error) {
    throw storeError(error, path);
  }
}

/** Another process is writing: SQLite's backup reports that with the error number 0. */
function isHeld(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 0;
}

function heldError(path: string): StoreError {
  return new StoreError(
    "store-busy",
    `Another process has kept the database ${path} locked for longer than the time-out.`,
    "Try again; if that does not help, find the process that has the file open.",
  );
}
