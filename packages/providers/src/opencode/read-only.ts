/** Opens a database of opencode's without a trace. */

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * SQLite creates the files of a write-ahead log even for a reader. Where there is none, no program has the database open,
 * and it is read as a file that does not change.
 */
export function readOnly(path: string): URL {
  const url = pathToFileURL(path);
  if (existsSync(`${path}-wal`)) url.searchParams.set("mode", "ro");
  else url.searchParams.set("immutable", "1");
  return url;
}
