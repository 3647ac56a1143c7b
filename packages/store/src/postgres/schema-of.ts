/** The version of a database's schema, without opening a store, which would migrate it. */

import { PostgresConnection } from "./connection.ts";
import { storeError } from "./errors.ts";
import { schemaVersion } from "./migrations/migrations.ts";

/** 0 for an empty database. `database`: host, port and name, for messages. */
export async function schemaOf(url: string, database: string): Promise<number> {
  try {
    const connection = await PostgresConnection.open({ url });
    try {
      return await schemaVersion(connection);
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw storeError(error, database);
  }
}
