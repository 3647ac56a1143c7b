/** Everything that a home holds, in a form that two moments can be compared by. */

import { createHash } from "node:crypto";
import { type Dirent, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Files by their digest; the database by its rows, since SQLite may move those without any change. */
export function contentOf(home: string): Record<string, unknown> {
  if (!existsSync(home)) return {};
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  const files = entries
    .map((entry) => [relative(home, join(entry.parentPath, entry.name)), entry] as const)
    .filter(([name]) => !/^reprise\.db(-wal|-shm)?$/.test(name))
    .map(([name, entry]) => [name, fileContent(entry)]);
  return { ...Object.fromEntries(files), database: databaseContent(join(home, "reprise.db")) };
}

function fileContent(entry: Dirent): string {
  const path = join(entry.parentPath, entry.name);
  if (entry.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return entry.isFile() ? digest(path) : "folder";
}

/** A database that cannot be read is compared by its bytes. */
function databaseContent(path: string): unknown {
  if (!existsSync(path)) return null;
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
    const version = database.prepare("PRAGMA user_version").get();
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    // The secret of a store is made when it is first needed, and holds nothing of the call.
    const compared = tables.filter(({ name }) => name !== "store_secret");
    const rows = compared.map(({ name }) => [
      name,
      database.prepare(`SELECT * FROM "${name}"`).all(),
    ]);
    return { version, rows: Object.fromEntries(rows) };
  } catch {
    return digest(path);
  }
}

function digest(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
