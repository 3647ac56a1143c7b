/** Queries of PostgreSQL that wait for their result, as those of `node:sqlite` do. */

import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import type { Parameters } from "@reprise/store/verbs/db";
import type { Order, QueryAnswer } from "./sync-worker.ts";

/** Tells their connections from those of homes. */
export const applicationName = "reprise-tests";

let port: MessagePort | null = null;
const answered = new Int32Array(new SharedArrayBuffer(4));

/** Rows look as SQLite returns them. */
export function query<Row>(url: string, sql: string, values: Parameters = {}): Row[] {
  return ask({ url, sql, values }) as Row[];
}

/** Returns how many rows were changed. */
export function change(url: string, sql: string, values: Parameters = {}): number {
  const [row] = query<{ count: number }>(
    url,
    `WITH changed AS (${sql} RETURNING 1) SELECT count(*) AS count FROM changed`,
    values,
  );
  return row!.count;
}

/** Statements without parameters. */
export function exec(url: string, sql: string): void {
  ask({ url, sql });
}

function ask(order: Order): unknown {
  port ??= startWorker();
  port.postMessage(order);
  Atomics.wait(answered, 0, 0);
  Atomics.store(answered, 0, 0);
  const { rows, error } = receiveMessageOnPort(port)!.message as QueryAnswer;
  if (error !== undefined) throw new Error(`${error}, in ${order.sql}`);
  return rows;
}

function startWorker(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL("./sync-worker.ts", import.meta.url), {
    workerData: { port: port2, answered },
    transferList: [port2],
    execArgv: [],
  });
  worker.unref();
  port1.unref();
  return port1;
}
