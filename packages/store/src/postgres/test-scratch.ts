/** A PostgreSQL server and its databases for the tests of one file. */

import { afterAll, beforeAll } from "vitest";
import { Cluster } from "../../../../test/postgres/cluster.ts";
import type { Store } from "../store.ts";
import { clock, type Opened } from "../suite/fixture.ts";
import { openPostgresStore } from "./open.ts";

/** Deletes every row of the store, in any order of the tables. It is much quicker than a new database. */
const emptied = `
  SET session_replication_role = replica;
  DO $$ DECLARE name TEXT; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
      AND tablename NOT IN ('incarnation', 'schema_version')
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  END $$`;

let cluster: Cluster;
/** Addresses of databases that no test uses. */
const free: string[] = [];

beforeAll(async () => {
  cluster = await Cluster.start();
});

afterAll(() => cluster.remove());

export interface PostgresScratch extends Opened {
  readonly url: string;
  /** Runs SQL outside of the store. */
  query(sql: string): Promise<unknown[]>;
}

/** A store on a database without rows, closed when the test ends. */
export async function openPostgresScratch(): Promise<PostgresScratch> {
  const url = free.pop() ?? (await cluster.createDatabase());
  const opened: Store[] = [];
  const reopen = async (options?: { readonly home?: string }) => {
    const store = await openPostgresStore(url, { now: () => clock.now, ...options });
    opened.push(store);
    return store;
  };
  const query = (sql: string) => cluster.query(sql, url);
  const cleanup = async () => {
    for (const store of opened) await store.close();
    await query(emptied);
    free.push(url);
  };
  const store = await reopen();
  return { store, reopen, cleanup, url, query };
}
