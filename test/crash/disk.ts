/**
 * What a loss of power leaves of the database: what was there when SQLite last waited for the disk. A
 * process that works in the folder copies it at every such moment, and the copy is put back afterwards.
 */

import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Durability } from "@reprise/store/contract/database";
import { SqliteConnection } from "@reprise/store/sqlite/connection";
import { lookUp } from "./database.ts";
import { endProcesses, reboot } from "./reboot.ts";

/** The database, and its log. */
const names = ["reprise.db", "reprise.db-wal"];

/** Everything that this process writes from now on. */
export function keepPromised(folder: string): void {
  const { write } = SqliteConnection.prototype;
  SqliteConnection.prototype.write = function <Result>(
    this: SqliteConnection,
    verb: () => Result,
    durability: Durability = "durable",
  ): Result {
    let before = 0;
    const result = write.call(
      this,
      () => {
        before = changesBy(this);
        return verb();
      },
      durability,
    ) as Result;
    // SQLite does not wait for the disk when nothing was changed.
    const waited = durability === "durable" && changesBy(this) > before;
    if (waited && this.path === join(folder, "home", "reprise.db")) keep(folder);
    return result;
  };
}

function changesBy(connection: SqliteConnection): number {
  return connection.get<{ count: number }>("SELECT total_changes() AS count")?.count ?? 0;
}

/** Nothing is written meanwhile: one process writes the verbs one by one. */
export function keep(folder: string): void {
  mkdirSync(join(folder, "disk"), { recursive: true });
  copy(join(folder, "home"), join(folder, "disk"));
}

/** The machine loses its power and starts again; returns the numbers of the events that are gone. */
export async function losePower(folder: string): Promise<number[]> {
  await endProcesses(folder);
  const before = numbersIn(folder);
  rmSync(join(folder, "home", "reprise.db-shm"), { force: true });
  copy(join(folder, "disk"), join(folder, "home"));
  const left = new Set(numbersIn(folder));
  await reboot(folder);
  return before.filter((seq) => !left.has(seq));
}

export function numbersIn(folder: string): number[] {
  return lookUp<{ seq: number }>(folder, "SELECT seq FROM event").map(({ seq }) => seq);
}

function copy(from: string, to: string): void {
  for (const name of names) {
    rmSync(join(to, name), { force: true });
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
  }
}
