/** The stores that a home of a bench can have its sessions in. */

import type { Cluster } from "../test/postgres/cluster.ts";

export interface BenchStore {
  readonly name: "SQLite" | "PostgreSQL";
  /** The address of a new database; undefined for one in the home's own folder. */
  readonly newDatabase: () => Promise<string | undefined>;
}

export const sqlite: BenchStore = { name: "SQLite", newDatabase: async () => undefined };

export function postgresOn(cluster: Cluster): BenchStore {
  return { name: "PostgreSQL", newDatabase: () => cluster.createDatabase() };
}
