/** Cached probe results of agents' programs, by host and by path, size and time of the program. */

import type { Verb } from "../verb.ts";

export const readProbe: Verb<"readProbe"> = function* (db, { host, binary }) {
  const row = yield* db.get<{ result: string }>(
    "SELECT result FROM probe WHERE host = :host AND binary_path = :binary",
    { host, binary },
  );
  return row ? JSON.parse(row.result) : null;
};

export const writeProbe: Verb<"writeProbe"> = function* (db, { host, binary, result, at }) {
  yield* db.run(
    `INSERT INTO probe (host, binary_path, result, at) VALUES (:host, :binary, :result, :at)
     ON CONFLICT (host, binary_path) DO UPDATE SET result = excluded.result, at = excluded.at`,
    { host, binary, result: JSON.stringify(result), at },
  );
};
