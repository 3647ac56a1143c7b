/** The scripted agent's session file as Reprise reads it, copies it out and puts it back. */

import { join } from "node:path";
import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { History } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import { putBack, readFiles, readOnce } from "../files.ts";
import { wholeLines } from "../json-lines.ts";
import type { FileSource, ProviderFile } from "../provider.ts";
import { currentItems, parseLine, sessionName } from "./session-file.ts";
import { totalUsage } from "./tokens.ts";

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
