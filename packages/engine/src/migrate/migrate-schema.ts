/** `migrate`: brings the database of a home to the newest schema, as opening the home does, and reports what it found. */

import { self } from "@reprise/providers/launch/process";
import { schemaOf as schemaOfSqlite } from "@reprise/store/sqlite/schema-of";
import { openHome } from "../home.ts";
import { type HomeStore, homeStore, openHomeStore } from "../home-store.ts";

export interface SchemaReport {
  readonly home: string;
  readonly store: "sqlite" | "postgres";
  /** A file, or the host, port and name of a database. */
  readonly database: string;
  readonly schema: number;
  /** The schema that it had before. */
  readonly before: number;
}

export interface MigrateOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

export async function migrateSchema({
  home: path,
  env,
  now,
}: MigrateOptions): Promise<SchemaReport> {
  const home = await openHome(path, { mayCreate: false });
  const elsewhere = homeStore(home.path, { env });
  const before = elsewhere === null ? schemaOfSqlite(home.database) : await schemaOn(elsewhere);
  const owner = { ...self(), hostId: home.hostId };
  const { store } = await openHomeStore({ home, elsewhere, secrets: [], owner, now });
  try {
    const { schema } = await store.check({ full: false });
    return {
      home: home.path,
      store: elsewhere === null ? "sqlite" : "postgres",
      database: elsewhere?.name ?? home.database,
      schema,
      before,
    };
  } finally {
    await store.close();
  }
}

async function schemaOn({ url, name }: HomeStore): Promise<number> {
  const { schemaOf } = await import("@reprise/store/postgres/schema-of");
  return schemaOf(url, name);
}
