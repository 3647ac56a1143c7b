/** Reads a session once for each source of files: its history and its checkpoint are the same state. */

import { UnreadError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { Handle } from "@reprise/core/session/pin";
import type { FileSource } from "../provider.ts";
import { databaseOf } from "./session-database.ts";
import { DamagedDatabaseError, type SessionImage, takeImage } from "./session-image.ts";

const taken = new WeakMap<
  FileSource,
  Map<string, Promise<SessionImage | "missing" | "unreadable">>
>();

/** @throws UnreadError when the database cannot be opened, which says nothing about what is in it. */
export function readSession(
  handle: Handle,
  source?: FileSource,
): Promise<SessionImage | "missing" | "unreadable"> {
  if (source === undefined) return read(handle);
  const known = taken.get(source) ?? new Map();
  taken.set(source, known);
  const name = `${handle.id} ${handle.place}`;
  const found = known.get(name) ?? read(handle);
  known.set(name, found);
  found.catch(() => known.delete(name));
  return found;
}

async function read(handle: Handle): Promise<SessionImage | "missing" | "unreadable"> {
  const path = await databaseOf(handle);
  if (path === null) return "missing";
  try {
    return takeImage(path, handle.id) ?? "missing";
  } catch (error) {
    if (error instanceof DamagedDatabaseError || damage.includes(codeOf(error)))
      return "unreadable";
    throw new UnreadError(
      "history-unread",
      `The database ${path} cannot be read: ${error instanceof Error ? error.message : error}.`,
      `Make it readable and try again, or send with ${option("continuity", "reseed")} to start again from the transcript, or with ${option("continuity", "blank")} without it.`,
      { cause: error },
    );
  }
}

/** SQLITE_ERROR (a table that is not there), SQLITE_CORRUPT, SQLITE_NOTADB. */
const damage = [1, 11, 26];

function codeOf(error: unknown): number {
  const { errcode = 0 } = error as { errcode?: number };
  // The extended codes have the plain one in their lowest byte.
  return errcode & 0xff;
}
