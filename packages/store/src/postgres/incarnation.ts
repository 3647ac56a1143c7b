/** Numbers of events and transactions after the server has crashed, or after the data has come to another server. */

import type { Db } from "../verbs/db.ts";
import { lockName } from "../verbs/row.ts";
import type { PostgresConnection } from "./connection.ts";

/** How much more than the run before it a run of the server adds at least to the numbers of events. */
export const betweenRuns = 4_096_000_000;

/** The next connection finds the data on another server, so new events get numbers above all that are there. */
export const becomeAnotherServer = "UPDATE incarnation SET id = ''";

/**
 * A crash loses transactions that were not on the disk, and the server gives their numbers again; a reader may have seen
 * them if the server is set not to wait for its disk. A server to which the data was copied counts its transactions
 * from another number. In both cases all new events get numbers that were never given, and the first number of a new
 * transaction is kept. Called for every new connection, because no connection survives a crash.
 */
export async function recognizeServer(connection: PostgresConnection): Promise<void> {
  const [known] = await connection.query("SELECT id FROM incarnation WHERE id = server_run()");
  if (known !== undefined) return;
  const skip = function* (db: Db) {
    yield* lockName(db, "incarnation");
    // A million transactions are more than a server can have lost.
    yield* db.run(
      `UPDATE incarnation SET id = server_run(), first_transaction = recovered_transactions(), event_base = ${betweenRuns} + greatest(event_base,
         coalesce((SELECT max(seq) FROM event), 0) - 4096 * pg_current_xact_id()::TEXT::BIGINT)
       WHERE id <> server_run()`,
    );
  };
  await connection.write([skip]);
}
