/**
 * Creates the file of a new database. It is prepared under another name and linked into place when it is
 * complete, so that other processes find a complete database or none, the first of several processes wins,
 * and a failure leaves nothing behind.
 */

import { closeSync, linkSync, mkdirSync, openSync, rmdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";

export function createDatabaseFile(path: string, prepare: (path: string) => void): void {
  const folder = dirname(path);
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  try {
    rmSync(draft, { force: true });
    // SQLite gives -wal and -shm the mode of the file itself.
    closeSync(openSync(draft, "wx", 0o600));
    prepare(draft);
    linkUnlessThere(draft, path);
  } catch (error) {
    removeDraft(draft);
    if (firstMade !== undefined) removeFolders(folder, firstMade);
    throw error;
  }
  removeDraft(draft);
}

function linkUnlessThere(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function removeDraft(draft: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(draft + suffix, { force: true });
}

/** From the innermost outwards; stops at a folder that is not empty. */
function removeFolders(folder: string, firstMade: string): void {
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  if (folder !== firstMade) removeFolders(dirname(folder), firstMade);
}
