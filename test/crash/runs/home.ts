/** What is in the home of a run. */

import { lookUp } from "../database.ts";
import type { Stage, Written } from "./calls.ts";

export const runId = "survivor";

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

export function openItem(folder: string): string {
  const [item] = lookUp<{ id: string }>(
    folder,
    "SELECT id FROM inbox_item WHERE resolved_at IS NULL",
  );
  if (item) return item.id;
  throw new Error("nothing waits for an answer");
}
