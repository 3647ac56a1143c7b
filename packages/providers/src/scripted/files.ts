/** The scripted agent's session file as Reprise reads it, copies it out and puts it back. */

import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { History } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import { listEach, putBack, readFiles, readOnce, wholeLines } from "../files.ts";
import { foundSessions, type ReadHead, type SessionListing } from "../found-sessions.ts";
import type { FileSource, FoundSession, NativeFiles, ProviderFile } from "../provider.ts";
import { totalUsage } from "./reader.ts";

/**
 * The agent silently skips lines that it cannot read, and then knows less than before. So one such line makes the whole
 * file unreadable. A torn last line counts too: without it the turn would seem not to have happened, and the agent
 * would append its next line to it.
 */
export async function readHistory(
  { id, place }: Handle,
  hash: Hash,
  source: FileSource = readOnce(),
): Promise<History | "missing" | "unreadable"> {
  const bytes = await source.readIfThere(join(place, sessionName(id)));
  return bytes === null ? "missing" : (historyIn(bytes, hash) ?? "unreadable");
}

/** Except for a compaction the file is only appended to, so its beginning is an earlier state. */
export async function earlierHistories(
  { id, place }: Handle,
  size: number,
  hash: Hash,
  source: FileSource = readOnce(),
): Promise<History[]> {
  const bytes = await source.readIfThere(join(place, sessionName(id)));
  if (bytes === null || bytes.length < size) return [];
  const history = historyIn(bytes.subarray(0, size), hash);
  return history ? [history] : [];
}

function historyIn(bytes: Uint8Array, hash: Hash): History | null {
  const lines = wholeLines(bytes)?.map(parseLine);
  if (!lines?.every((line) => line !== null)) return null;
  const items = currentItems(lines);
  return {
    items: items.map((item) => ({ ...item, digest: messageDigest(item.role, item.text, hash) })),
    bytes: bytes.length,
    compacted: items.some(({ role }) => role === "summary"),
    totals: totalUsage(items),
  };
}

/** Its files do not tell in which folder a session began. */
export async function sessionsIn(home: string, selection: SessionListing): Promise<FoundSession[]> {
  const { names } = await listSessions(home);
  return foundSessions(
    names.map((name) => join(home, name)),
    selection,
    identify,
  );
}

export async function listSessions(place: string): Promise<NativeFiles> {
  const folder = dirname(sessionName(""));
  const { entries, unlisted } = await listEach([join(place, folder)]);
  return { place, names: entries.map(({ name }) => join(folder, name)), unlisted };
}

export const identify: ReadHead = async (path, head) => {
  const lines = wholeLines(head)?.map(parseLine) ?? [];
  const prompt = lines.find((line) => line?.role === "user")?.text;
  return prompt === undefined ? null : { id: basename(path, ".jsonl"), folder: null, prompt };
};

export function copyOut({ id, place }: Handle, source?: FileSource): Promise<ProviderFile[]> {
  return readFiles(place, [sessionName(id)], source);
}

export function copyIn(
  { place }: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  return putBack(place, files, [], aside);
}

// The scripted agent's session file: one JSON line for each item, appended.

export interface Item {
  readonly role: "user" | "assistant" | "tool" | "summary";
  readonly text: string;
}

/** A line of the file: an item, or the number of turns that a person rewound. */
interface SessionLine {
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
function parseLine(line: string): SessionLine | null {
  try {
    const { role, text } = JSON.parse(line) as SessionLine;
    return roles.includes(role) && typeof text === "string" ? { role, text } : null;
  } catch {
    return null;
  }
}

/** The current items: without those that a rewind took back. */
function currentItems(lines: readonly SessionLine[]): Item[] {
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
