/** The scripted agent's session file: one JSON line for each item, appended. */

import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Item {
  readonly role: "user" | "assistant" | "tool" | "summary";
  readonly text: string;
}

/** A line of the file: an item, or the number of turns that a person rewound. */
export interface SessionLine {
  readonly role: Item["role"] | "rewind";
  readonly text: string;
}

const roles: readonly string[] = [
  "user",
  "assistant",
  "tool",
  "summary",
  "rewind",
] satisfies SessionLine["role"][];

/** Relative to the agent's home. */
export function sessionName(id: string): string {
  return `sessions/${id}.jsonl`;
}

/** Null for a line that is not one. */
export function parseLine(line: string): SessionLine | null {
  try {
    const { role, text } = JSON.parse(line) as SessionLine;
    return roles.includes(role) && typeof text === "string" ? { role, text } : null;
  } catch {
    return null;
  }
}

/** The current items: without those that a rewind took back. */
export function currentItems(lines: readonly SessionLine[]): Item[] {
  let items: Item[] = [];
  for (const { role, text } of lines) {
    if (role !== "rewind") {
      items.push({ role, text });
      continue;
    }
    const prompts = items.flatMap((item, at) => (item.role === "user" ? [at] : []));
    items = items.slice(0, prompts.at(-Number(text)) ?? 0);
  }
  return items;
}

/** Null when there is no such session. Damaged lines are skipped silently, as real agents do. */
export function readItems(home: string, id: string): Item[] | null {
  try {
    const lines = readFileSync(join(home, sessionName(id)), "utf8").split("\n");
    return currentItems(lines.map(parseLine).filter((line) => line !== null));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

export function appendItem(home: string, id: string, line: SessionLine): void {
  const file = join(home, sessionName(id));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** A compaction, and misbehaviour: a reset, a lost tail. Whole or not at all. */
export function replaceItems(home: string, id: string, items: readonly Item[]): void {
  const file = join(home, sessionName(id));
  const lines = items.map((item) => `${JSON.stringify(item)}\n`);
  writeFileSync(`${file}.new`, lines.join(""), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
