/** The scripted agent's session file: one JSON line for each item, appended. */

import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Item {
  readonly role: "user" | "assistant" | "tool" | "summary";
  readonly text: string;
}

const roles: readonly string[] = ["user", "assistant", "tool", "summary"] satisfies Item["role"][];

/** Relative to the agent's home. */
export function sessionName(id: string): string {
  return `sessions/${id}.jsonl`;
}

/** One line as an item; null when it is none. */
export function parseItem(line: string): Item | null {
  try {
    const { role, text } = JSON.parse(line) as Item;
    return roles.includes(role) && typeof text === "string" ? { role, text } : null;
  } catch {
    return null;
  }
}

/** Null when there is no such session. Damaged lines are skipped in silence, as real agents do. */
export function readItems(home: string, id: string): Item[] | null {
  try {
    const lines = readFileSync(join(home, sessionName(id)), "utf8").split("\n");
    return lines.map(parseItem).filter((item) => item !== null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

export function appendItem(home: string, id: string, item: Item): void {
  const file = join(home, sessionName(id));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  appendFileSync(file, `${JSON.stringify(item)}\n`, { mode: 0o600 });
}

/** A compaction, and misbehaviour: a reset, a lost tail. Whole or not at all. */
export function replaceItems(home: string, id: string, items: readonly Item[]): void {
  const file = join(home, sessionName(id));
  const lines = items.map((item) => `${JSON.stringify(item)}\n`);
  writeFileSync(`${file}.new`, lines.join(""), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
