/** The sessions of a person's own opencode, from its database. */

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { listIfThere } from "../files.ts";
import type { SessionListing } from "../found-sessions.ts";
import type { FoundSession, ProviderAgent } from "../provider.ts";
import { placeOf } from "./home.ts";
import { readOnly } from "./read-only.ts";
import { ownName, sharedName } from "./session-database.ts";

export async function sessions(
  agent: ProviderAgent,
  { folder, limit }: SessionListing,
): Promise<FoundSession[]> {
  const place = await placeOf(agent);
  const real = folder && (await realpath(folder).catch(() => folder));
  const own = await listIfThere(join(place, ownName(".."), ".."));
  const paths = own
    .filter(({ name }) => name.endsWith(".db"))
    .map(({ parentPath, name }) => join(parentPath, name));
  const found = [join(place, sharedName), ...paths].flatMap((path) => listed(path, real, limit));
  const newest = found.toSorted((one, other) => other.usedAt - one.usedAt);
  const known = new Set<string>();
  return newest.filter(({ id }) => !known.has(id) && known.add(id)).slice(0, limit);
}

/** None of a database that cannot be read. A session without a parent is one that a person can resume. */
function listed(path: string, folder: string | null, limit: number): FoundSession[] {
  try {
    using database = new DatabaseSync(readOnly(path), { readOnly: true, timeout: 1000 });
    const rows = database.prepare(select).all({ folder, limit });
    return rows.map(({ id, directory, text, time_updated: usedAt }) => ({
      id: String(id),
      folder: String(directory),
      prompt: String(text),
      usedAt: Number(usedAt),
    }));
  } catch {
    return [];
  }
}

const select = `
  SELECT session.id, session.directory, session.time_updated,
    json_extract(part.data, '$.text') AS text
  FROM session JOIN part ON part.id = (
    SELECT part.id FROM message JOIN part ON part.message_id = message.id
    WHERE message.session_id = session.id AND json_extract(message.data, '$.role') = 'user'
      AND json_extract(part.data, '$.type') = 'text'
    ORDER BY message.time_created, message.id, part.id LIMIT 1
  )
  WHERE session.parent_id IS NULL AND session.time_archived IS NULL
    AND (:folder IS NULL OR session.directory = :folder)
  ORDER BY session.time_updated DESC LIMIT :limit`;
