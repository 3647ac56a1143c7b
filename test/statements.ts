/**
 * Counts the statements that this process sends to its databases, whichever they are, and the round trips: on
 * PostgreSQL one begins with each statement that is sent after a result arrived.
 */

import { StatementSync } from "node:sqlite";
import pg from "pg";
import { onTestFinished, vi } from "vitest";

export interface Statements {
  count: number;
  trips: number;
}

/** Until the end of the test. */
export function countStatements(): Statements {
  const statements = { count: 0, trips: 0 };
  const waiting = new WeakSet<pg.Client>();
  for (const method of ["get", "all", "run"] as const) {
    const original: (...input: never[]) => unknown = StatementSync.prototype[method];
    const counting = function (this: StatementSync, ...input: never[]) {
      statements.count += 1;
      return Reflect.apply(original, this, input);
    };
    vi.spyOn(StatementSync.prototype, method).mockImplementation(counting as never);
  }
  const { query } = pg.Client.prototype;
  const counting = function (this: pg.Client, ...input: never[]) {
    // Stores that wait are notified by a timer, however much was written meanwhile.
    const isCounted = !JSON.stringify(input[0]).includes("pg_notify");
    if (isCounted) statements.count += 1;
    if (isCounted && !waiting.has(this)) statements.trips += 1;
    waiting.add(this);
    const sent: unknown = Reflect.apply(query, this, input);
    const answered = () => waiting.delete(this);
    if (sent instanceof Promise) sent.then(answered, answered);
    return sent;
  };
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(counting as never);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  return statements;
}
