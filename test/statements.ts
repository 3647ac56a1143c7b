/** Counts the statements that this process sends to its databases, whichever they are. */

import { StatementSync } from "node:sqlite";
import pg from "pg";
import { onTestFinished, vi } from "vitest";

export interface Statements {
  count: number;
}

/** Until the end of the test. */
export function countStatements(): Statements {
  const statements = { count: 0 };
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
    if (!JSON.stringify(input[0]).includes("pg_notify")) statements.count += 1;
    return Reflect.apply(query, this, input);
  };
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(counting as never);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  return statements;
}
