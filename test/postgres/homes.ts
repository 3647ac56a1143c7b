/** Gives the home in each temporary folder of a test a PostgreSQL database, before the home is opened. */

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeStoreRecord } from "@reprise/engine/home";
import { beforeEach, inject } from "vitest";
import { prepareFolders } from "../temporary-folder.ts";
import { testsLeftToSqlite } from "./left-to-sqlite.ts";
import { applicationName, exec, query } from "./sync-query.ts";

const template = inject("templates")[Number(process.env.VITEST_POOL_ID) - 1]!;
const server = onServer("postgres");

prepareFolders((folder) => {
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  writeStoreRecord(home, databaseFor(folder));
});

beforeEach(({ task, skip }) => {
  const left = testsLeftToSqlite.find(
    ({ file, title }) => task.file.filepath.endsWith(file) && task.fullTestName.includes(title),
  );
  if (left) skip(left.reason);
});

/**
 * The database of a folder that is gone, without its rows, or else a new one, which takes longer. A process that an
 * earlier test has left may still write to its database; that one is not used again.
 */
function databaseFor(folder: string): string {
  const homes = query<{ number: number; folder: string }>(
    server,
    `SELECT * FROM home WHERE NOT EXISTS (
       SELECT FROM pg_stat_activity WHERE datname = 'of_' || number AND application_name <> :name)`,
    { name: applicationName },
  );
  const left = homes.find((home) => !existsSync(home.folder));
  if (left) {
    const { number } = left;
    query(server, "UPDATE home SET folder = :folder WHERE number = :number", { folder, number });
    return emptied(`of_${number}`);
  }
  const [made] = query<{ number: number }>(
    server,
    "INSERT INTO home (folder) VALUES (:folder) RETURNING number",
    { folder },
  );
  const name = `of_${made!.number}`;
  exec(server, `CREATE DATABASE ${name} TEMPLATE ${new URL(template).pathname.slice(1)}`);
  return onServer(name);
}

/** Deletes its rows, in any order of the tables. */
function emptied(name: string): string {
  const database = onServer(name);
  exec(
    database,
    `SET session_replication_role = replica;
     DO $$ DECLARE name TEXT; BEGIN
       FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
         AND tablename NOT IN ('incarnation', 'schema_version')
       LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
     END $$;
     SET session_replication_role = origin`,
  );
  return database;
}

function onServer(name: string): string {
  return new URL(`/${name}`, template).href;
}
