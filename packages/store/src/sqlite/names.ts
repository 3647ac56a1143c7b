/**
 * Names for shell completion. Read without opening a store, so that nothing is created, migrated or waited
 * for.
 */

import { DatabaseSync } from "node:sqlite";

export interface Name {
  readonly name: string;
  readonly about: string;
}

const queries = {
  sessions: `SELECT key AS name, agent AS about FROM session
     WHERE key >= :prefix AND key < :end ORDER BY key LIMIT :limit`,
  agents: `SELECT name, provider AS about FROM agent
     WHERE hidden = 0 AND name >= :prefix AND name < :end ORDER BY name LIMIT :limit`,
  runs: `SELECT id AS name, workflow || ', ' || status AS about FROM run
     WHERE id >= :prefix AND id < :end ORDER BY started_at DESC LIMIT :limit`,
  items: `SELECT id AS name, title AS about FROM inbox_item
     WHERE resolution IS NULL AND id >= :prefix AND id < :end LIMIT :limit`,
  tokens: `SELECT name, role AS about FROM token
     WHERE revoked_at IS NULL AND name >= :prefix AND name < :end ORDER BY name LIMIT :limit`,
  webhooks: `SELECT id AS name, coalesce(url, direction) AS about FROM webhook
     WHERE id >= :prefix AND id < :end ORDER BY created_at LIMIT :limit`,
};

/** @throws if there is no readable database. */
export function readNames(
  path: string,
  of: keyof typeof queries,
  { prefix, limit }: { readonly prefix: string; readonly limit: number },
): Name[] {
  using database = new DatabaseSync(path, { readOnly: true, timeout: 100 });
  const rows = database.prepare(queries[of]).all({ prefix, end: `${prefix}\u{10ffff}`, limit });
  return rows.map((row) => ({ name: String(row.name), about: String(row.about) }));
}
