/** docs/upgrading.md: a home is moved to a real PostgreSQL database and back. */

import { afterAll, beforeAll } from "vitest";
import { Cluster } from "../postgres/cluster.ts";
import { runsAsShown } from "./page-shell.ts";

const address = "postgres://reprise@db.example.com/reprise";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster.remove());

runsAsShown("docs/upgrading.md", async () => {
  const database = await cluster.createDatabase();
  return {
    values: {
      [address]: `echo '${database}'`,
      "before-migration-2026-03-01T12-00-00-000Z":
        "basename ~/.local/state/reprise/before-migration-*",
      "HOME/": "echo ~/.local/state/reprise/",
    },
    before: {
      // The home has a session before the move, and after it.
      "reprise down": () =>
        "reprise session show fix-42 > shown.txt 2>&1 || " +
        "{ reprise agent create coder --provider scripted && reprise send fix-42 hello --agent coder; }",
      "rm HOME/store.json": () => "reprise status | grep PostgreSQL",
      "reprise doctor": () => "reprise status | grep SQLite && reprise session show fix-42",
    },
    elsewhere: {
      "createdb --encoding=UTF8 --template=template0 reprise":
        "The test makes the database with SQL, since the package has no client programs.",
    },
  };
});
