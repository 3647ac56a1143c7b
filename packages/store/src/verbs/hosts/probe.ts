/** Cached probe results of agents' programs, by path, size and time. */

import type { Verb } from "../verb.ts";

export const readProbe: Verb<"readProbe"> = function* (db, binary) {
  const row = yield* db.get<{ result: string }>(
    "SELECT result FROM probe WHERE binary_path = :binary",
    {
      binary,
    },
  );
  return row ? JSON.parse(row.result) : null;
};

export const writeProbe: Verb<"writeProbe"> = function* (db, { binary, result, at }) {
  yield* db.run(
    `INSERT INTO probe (binary_path, result, at) VALUES (:binary, :result, :at)
     ON CONFLICT (binary_path) DO UPDATE SET result = excluded.result, at = excluded.at`,
    { binary, result: JSON.stringify(result), at },
  );
};
