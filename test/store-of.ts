/** Opens the store of a home a second time, beside the one that belongs to the test's own engine. */

import { join } from "node:path";
import { readStoreRecord } from "@reprise/engine/home";
import { openPostgresStore } from "@reprise/store/postgres/open";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import type { Store } from "@reprise/store/store";

export function openStoreOf(home: string): Promise<Store> {
  const url = readStoreRecord(home);
  return url === null ? openSqliteStore(join(home, "reprise.db")) : openPostgresStore(url);
}
