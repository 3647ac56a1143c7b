/**
 * The database of a home that cannot be written. SQLite writes beside a database in WAL mode even to read it,
 * so a copy in a temporary folder is read instead.
 */

import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function copyForReading(
  database: string,
): Promise<{ readonly copy: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "reprise-read-"));
  const copy = join(folder, "reprise.db");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await copyFile(database, copy);
    await copyFile(`${database}-wal`, `${copy}-wal`).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
    return { copy, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
