/** The thread behind the queries of `sync-query.ts`: it keeps a connection to every database that was asked. */

import { type MessagePort, workerData } from "node:worker_threads";
import { PostgresConnection } from "@reprise/store/postgres/connection";
import type { Parameters } from "@reprise/store/verbs/db";
import { applicationName } from "./sync-query.ts";

/** `values`: for a single statement, whose rows are wanted. */
export interface Order {
  readonly url: string;
  readonly sql: string;
  readonly values?: Parameters;
}

export interface QueryAnswer {
  readonly rows?: readonly unknown[];
  readonly error?: string;
}

const { port, answered } = workerData as {
  readonly port: MessagePort;
  readonly answered: Int32Array<SharedArrayBuffer>;
};
const connections = new Map<string, PostgresConnection>();

async function connectionTo(url: string): Promise<PostgresConnection> {
  const known = connections.get(url);
  if (known?.isLost === false) return known;
  const connection = await PostgresConnection.open({ url });
  // The thread that asked waits, so what it waits for may be a lock that it has itself.
  await connection.exec(`SET lock_timeout = '30s'; SET application_name = '${applicationName}'`);
  connections.set(url, connection);
  return connection;
}

async function answer({ url, sql, values }: Order): Promise<QueryAnswer> {
  try {
    const connection = await connectionTo(url);
    if (values) return { rows: await connection.query(sql, values) };
    await connection.exec(sql);
    return {};
  } catch (error) {
    return { error: String(error) };
  }
}

port.on("message", async (order: Order) => {
  port.postMessage(await answer(order));
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
});
