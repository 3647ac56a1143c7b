/** Counts what waits for a person, or all that ever did: inbox items, and turns that ask. */

import type { Verb } from "../verb.ts";

export const countInbox: Verb<"countInbox"> = function* (db, { run, all = false }) {
  const ofRun = (column: string) => (run === undefined ? "" : ` AND ${column} = :run`);
  return (yield* db.get<{ count: number }>(
    `SELECT
       (SELECT count(*) FROM inbox_item
        WHERE ${all ? "TRUE" : "resolved_at IS NULL"}${ofRun("run")}) +
       (SELECT count(*) FROM turn
        WHERE ${all ? "asked_at IS NOT NULL" : "status = 'waiting'"}${ofRun("request -> 'origin' ->> 'run'")})
       AS count`,
    run === undefined ? {} : { run },
  ))!.count;
};
