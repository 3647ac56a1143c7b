/** `store.json` of a home: the address of the database that has its sessions, without a password. */

import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "@reprise/core/errors/errors";
import { parseStoreAddress, withoutPassword } from "./store-address.ts";

export function storeRecordIn(home: string): string {
  return join(home, "store.json");
}

/**
 * The address of the home's database; null for a home with a database of its own.
 *
 * @throws StoreError `store-record` when the file cannot be read: without it the sessions of the home are unknown.
 */
export function readStoreRecord(home: string): string | null {
  const file = storeRecordIn(home);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw unusable(file, String(code), error);
  }
  try {
    const { url } = JSON.parse(text) as { url: string };
    return parseStoreAddress(String(url)).url;
  } catch (error) {
    throw unusable(file, "it has no valid address", error);
  }
}

/** Whether the home's database is on a server, so that several servers of the home can use it. */
export function isShared(home: string): boolean {
  return readStoreRecord(home) !== null;
}

/** Writes the record atomically, without the password of the address. */
export function writeStoreRecord(home: string, url: string): void {
  const file = storeRecordIn(home);
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const record = { url: withoutPassword(url) };
  try {
    writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function unusable(file: string, why: string, cause: unknown): StoreError {
  return new StoreError(
    "store-record",
    `The file ${file}, which names the database of the home, cannot be used (${why}).`,
    `Write the address into it again, without a password: {"url": "postgres://user@host:5432/database"}`,
    { cause },
  );
}
