/**
 * Copies a whole database by SQLite's own backup, as of one moment, while any number of processes use
 * both ends: who reads goes on with what he sees, and whoever looks next finds all of it or nothing.
 */

import { closeSync, openSync, rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { StoreError } from "@reprise/core/errors/errors";
import { storeError } from "./errors.ts";

/** All pages in one step: between steps another writer would make it begin anew. */
const everyPage = 2 ** 31 - 1;

const maxWait = 5000;

/** Makes `path`, readable by its owner alone. */
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

/** Another process writes: SQLite's backup says so by no error number at all. */
function isHeld(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 0;
}

function heldError(path: string): StoreError {
  return new StoreError(
    "store-busy",
    `The database ${path} is held by another process for longer than the time-out.`,
    "Try again; if it stays so, find the process that has the file open.",
  );
}
