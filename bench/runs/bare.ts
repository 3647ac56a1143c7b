/** SQLite with no engine around it: a step is one row and one commit, which is the least that one can be. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type Chains,
  type Counted,
  chainLength,
  type Opening,
  serve,
  timeChains,
} from "./contender.ts";

let file: string;
let database: DatabaseSync;

serve({
  async open({ folder, synchronisation }: Opening) {
    file = join(folder, "bare.db");
    database = new DatabaseSync(file);
    database.exec(
      `PRAGMA journal_mode = WAL;
       PRAGMA synchronous = ${synchronisation};
       PRAGMA wal_autocheckpoint = 4000;
       CREATE TABLE IF NOT EXISTS step (
         chain TEXT NOT NULL, number INTEGER NOT NULL, result TEXT NOT NULL,
         PRIMARY KEY (chain, number)
       ) WITHOUT ROWID`,
    );
  },

  chains: (chains: Chains) => {
    const insert = database.prepare("INSERT INTO step (chain, number, result) VALUES (?, ?, ?)");
    return timeChains(chains, async (id) => {
      let value = 0;
      for (let number = 1; number <= chainLength; number += 1) {
        value += 1;
        // Alone it is a transaction of its own.
        insert.run(id, number, JSON.stringify({ value }));
      }
      return value;
    });
  },

  async count(): Promise<Counted> {
    using again = new DatabaseSync(file, { readOnly: true });
    const row = again
      .prepare(
        "SELECT count(DISTINCT chain) AS chains, count(*) AS rows, count(*) AS steps FROM step",
      )
      .get();
    return { ...row } as unknown as Counted;
  },

  close: async () => database.close(),
});
