/**
 * At most one server serves a home. The lock is an exclusive transaction on an empty database, which the system
 * releases when the process ends, however it ends.
 */

import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The function releases the lock; null when another process has it. */
export function lockHome(home: string): (() => void) | null {
  const file = join(home, "server.lock");
  // Only when it is new: closing a file releases all locks that this process has on it.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return () => lock.close();
  } catch (error) {
    lock.close();
    const SQLITE_BUSY = 5;
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
}
