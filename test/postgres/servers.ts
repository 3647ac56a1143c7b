/**
 * A PostgreSQL server for each worker of the group `postgres`. They share none: an event can be read once no older
 * transaction of its server is open, and a process that a test has stopped may have one.
 */

import { openPostgresStore } from "@reprise/store/postgres/open";
import type { TestProject } from "vitest/node";
import { Cluster } from "./cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Addresses of one database on each server, which has the tables of a home and no rows. */
    readonly templates: readonly string[];
  }
}

/** What the queries of tests use of SQLite, so that they are the same for both. */
const functions = `
  CREATE FUNCTION json_extract(JSON, TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
    AS $$ SELECT $1 #>> string_to_array(substr($2, 3), '.') $$;
  CREATE FUNCTION json_extract(TEXT, TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
    AS $$ SELECT json_extract($1::JSON, $2) $$;
  CREATE FUNCTION json_set(JSON, TEXT, TEXT) RETURNS JSON LANGUAGE sql IMMUTABLE
    AS $$ SELECT jsonb_set($1::JSONB, string_to_array(substr($2, 3), '.'), to_jsonb($3))::JSON $$;
  CREATE FUNCTION json_set(TEXT, TEXT, TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
    AS $$ SELECT json_set($1::JSON, $2, $3)::TEXT $$;
  CREATE FUNCTION json_set(TEXT, TEXT, BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE
    AS $$ SELECT jsonb_set($1::JSONB, string_to_array(substr($2, 3), '.'), to_jsonb($3))::TEXT $$;
  CREATE FUNCTION zeroblob(INTEGER) RETURNS BYTEA LANGUAGE sql IMMUTABLE
    AS $$ SELECT decode(repeat('00', $1), 'hex') $$;
`;

/** @public Vitest calls it before the first of these tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const clusters = await Promise.all(
    Array.from({ length: project.config.maxWorkers }, () => Cluster.start()),
  );
  project.provide("templates", await Promise.all(clusters.map(template)));
  return async () => {
    await Promise.all(clusters.map((cluster) => cluster.remove()));
  };
}

async function template(cluster: Cluster): Promise<string> {
  const url = await cluster.createDatabase();
  await (await openPostgresStore(url)).close();
  await cluster.query(functions, url);
  await cluster.query("CREATE TABLE home (number SERIAL, folder TEXT)");
  return url;
}
