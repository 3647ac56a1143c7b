/** Copies an opencode session out of its database, and back into one of its own. */

import type { Handle } from "@reprise/core/session/pin";
import { putBack } from "../files.ts";
import type { FileSource, ProviderFile } from "../provider.ts";
import { ownName } from "./session-database.ts";
import { readSession } from "./snapshot.ts";

/** None if the database cannot be read: then there is nothing that is worth keeping. */
export async function copyOut(handle: Handle, source?: FileSource): Promise<ProviderFile[]> {
  const image = await readSession(handle, source);
  return typeof image === "string" ? [] : [{ name: ownName(handle.id), bytes: image.bytes }];
}

/** What SQLite has beside a database belongs to the one that is replaced. */
export function copyIn(
  { place, id }: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  const beside = ["-wal", "-shm"].map((suffix) => `${ownName(id)}${suffix}`);
  return putBack(place, files, beside, aside);
}
