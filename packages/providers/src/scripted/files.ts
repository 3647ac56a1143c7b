/** The scripted agent's session file as Reprise reads it, copies it out and puts it back. */

import { join } from "node:path";
import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { History } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import { isMissing, putBack, readFiles, readSessionFile } from "../files.ts";
import type { ProviderFile } from "../provider.ts";
import { parseItem, sessionName } from "./session-file.ts";
import { totalUsage } from "./tokens.ts";

/**
 * The agent itself skips lines that it can not read, and then knows less than it did. So one such line
 * makes the whole file unreadable, a torn last line too: dropped, it could pass for nothing having
 * happened, and the agent's next line would be glued to it.
 */
export async function readHistory(
  { id, place }: Handle,
  hash: Hash,
): Promise<History | "missing" | "unreadable"> {
  const bytes = await readSessionFile(join(place, sessionName(id))).catch((error: unknown) =>
    isMissing(error) ? ("missing" as const) : ("unreadable" as const),
  );
  if (typeof bytes === "string") return bytes;
  const lines = decode(bytes)?.split("\n");
  if (lines?.pop() !== "") return "unreadable";
  const items = lines.map(parseItem);
  if (!items.every((item) => item !== null)) return "unreadable";
  return {
    items: items.map((item) => ({ ...item, digest: messageDigest(item.role, item.text, hash) })),
    bytes: bytes.length,
    compacted: items.some(({ role }) => role === "summary"),
    totals: totalUsage(items),
  };
}

export function copyOut({ id, place }: Handle): Promise<ProviderFile[]> {
  return readFiles(place, [sessionName(id)]);
}

export function copyIn(
  { place }: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  return putBack(place, files, [], aside);
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
