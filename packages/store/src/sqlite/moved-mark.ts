/**
 * The file that is left where a database was whose content is in another one now. Earlier versions of Reprise, which do
 * not know that a database can be elsewhere, would begin a new one there. They refuse this one, because its schema is
 * newer than any that they know.
 */

import { closeSync, openSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export const movedSchema = 1_000_000;

/** Replaces the database, which must have another name already. */
export function leaveMovedMark(path: string): void {
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  closeSync(openSync(draft, "wx", 0o600));
  const mark = new DatabaseSync(draft);
  mark.exec(`PRAGMA user_version = ${movedSchema}`);
  mark.close();
  renameSync(draft, path);
}
