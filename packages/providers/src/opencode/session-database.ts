/**
 * The databases of opencode's sessions. Each session of Reprise's has one of its own in `reprise/`, below opencode's data
 * folder, so that one that is damaged costs no other session and a checkpoint is one file. A session that a person began
 * is in opencode's own database, which Reprise only reads.
 */

import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Handle } from "@reprise/core/session/pin";
import { readOnly } from "./read-only.ts";

const folder = "reprise";
const begun = /^new-(\d+)-\d+\.db$/;

/** The session's own database, relative to opencode's data folder. */
export function ownName(id: string): string {
  return join(folder, `${id}.db`);
}

/** The database of a session whose id is not known yet. */
export function newName(at: number, pid: number): string {
  return join(folder, `new-${at}-${pid}.db`);
}

/** The database of all sessions that people begin. */
export const sharedName = "opencode.db";

/**
 * The path of the database that has the session; null if there is none. Its own one counts even if it is damaged. One
 * whose name does not have the id is left by a first turn that was killed.
 */
export async function databaseOf({ id, place }: Handle): Promise<string | null> {
  const own = join(place, ownName(id));
  if (exists(own)) return own;
  for (const name of await unnamed(place, id)) {
    const path = join(place, folder, name);
    if (hasSession(path, id)) return path;
  }
  const shared = join(place, sharedName);
  return exists(shared) && hasSession(shared, id) ? shared : null;
}

/** How many databases without an id are looked into: the session is in the first, as a rule. */
const nearest = 20;

/** The id of a session has its time, so that its database is among those that were begun at about that time. */
async function unnamed(place: string, id: string): Promise<string[]> {
  const names = await readdir(join(place, folder)).catch(() => []);
  const at = createdAt(id);
  const away = (name: string) => Math.abs(Number(begun.exec(name)?.[1]) - at);
  return names
    .filter((name) => begun.test(name))
    .sort((one, other) => away(one) - away(other))
    .slice(0, nearest);
}

/** Opencode counts down from the largest number of 48 bits, of which a millisecond has 4096. */
function createdAt(id: string): number {
  const now = Date.now();
  const turn = 2 ** 36;
  const low = Number((~BigInt(`0x${id.slice(4, 16)}`) & 0xffff_ffff_ffffn) / 4096n);
  const whole = now - (now % turn) + low;
  return whole > now + turn / 2 ? whole - turn : whole;
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function hasSession(path: string, id: string): boolean {
  try {
    using database = new DatabaseSync(readOnly(path), { readOnly: true, timeout: 1000 });
    return database.prepare("SELECT 1 FROM session WHERE id = ?").get(id) !== undefined;
  } catch {
    return false;
  }
}
