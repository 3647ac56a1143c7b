/** What stands in the home of a run, looked up beside Reprise so that only its own calls are counted. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Stage, Written } from "./calls.ts";

export const runId = "survivor";

export function lookUp<Row>(folder: string, sql: string): Row[] {
  const file = join(folder, "home", "reprise.db");
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const made = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'run'").get();
    return made ? (database.prepare(sql).all() as Row[]) : [];
  } finally {
    database.close();
  }
}

export function readRun(
  folder: string,
): { readonly status: string; readonly token: number } | null {
  const [run] = lookUp<{ status: string; token: number }>(folder, "SELECT status, token FROM run");
  return run ?? null;
}

export function hasEnded(folder: string): boolean {
  const run = readRun(folder);
  return run !== null && run.status !== "running" && run.status !== "waiting";
}

export function readEvents(folder: string): Written[] {
  const rows = lookUp<{ type: string; data: string }>(
    folder,
    "SELECT type, data FROM event WHERE stream LIKE 'run:%' ORDER BY stream_seq",
  );
  return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
}

export function stageOf(folder: string): Stage {
  const items = lookUp(folder, "SELECT id FROM inbox_item");
  return items.length === 0 ? "before the gate" : "after the gate";
}

/** Changes what Reprise has written, as no Reprise would. */
export function tamper(folder: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(join(folder, "home", "reprise.db"));
  database.exec("PRAGMA busy_timeout = 10000");
  for (const statement of statements) database.exec(statement);
  database.close();
}

export function openItem(folder: string): string {
  const [item] = lookUp<{ id: string }>(
    folder,
    "SELECT id FROM inbox_item WHERE resolved_at IS NULL",
  );
  if (item) return item.id;
  throw new Error("nothing waits for an answer");
}
