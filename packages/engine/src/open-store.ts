/** Opens the store of a home: the SQLite database in its folder, or a database on a PostgreSQL server. */

import { realpath } from "node:fs/promises";
import { redact } from "@reprise/core/session/redact";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import type { Store } from "@reprise/store/store";
import type { Home } from "./home.ts";
import { copyForReading } from "./read-only-database.ts";

export interface OpenStoreOptions {
  /** Address of a PostgreSQL database; null for the home's own database. */
  readonly url: string | null;
  /** Values that no event may show. */
  readonly secrets: readonly string[];
  /** Another clock than the system's becomes the store's. */
  readonly now?: (() => number) | undefined;
}

export interface OpenedStore {
  readonly store: Store;
  /** Removes what was made to read a home that cannot be written. */
  readonly cleanUp: () => Promise<void>;
}

export async function openStore(
  home: Home,
  { url, secrets, now }: OpenStoreOptions,
): Promise<OpenedStore> {
  const options = {
    redact: (text: string) => redact(text, secrets),
    home: await realpath(home.path),
    ...(now && now !== Date.now && { now }),
  };
  if (url !== null) {
    // Loaded only here: homes without PostgreSQL start faster without its client.
    const { openPostgresStore } = await import("@reprise/store/postgres/open");
    return { store: await openPostgresStore(url, options), cleanUp: async () => {} };
  }
  const reading = home.isReadOnly ? await copyForReading(home.database) : null;
  return {
    store: await openSqliteStore(reading?.copy ?? home.database, options),
    cleanUp: async () => reading?.remove(),
  };
}
