/** The history of a conversation as Reprise reads it, copies it out, puts it back and gives it another id. */

import { join } from "node:path";
import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import { UnreadError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { History, HistoryItem } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import { putBack, readFiles, readOnce } from "../files.ts";
import type { FileSource, ProviderFile, SessionLocation } from "../provider.ts";
import type { StoredMessage } from "./message.ts";
import { parseState, stateName, stateText } from "./state.ts";

/** @throws UnreadError for a state of a later version, which is neither damage nor a reason to restore an older one. */
export async function readHistory(
  { id, place }: Handle,
  hash: Hash,
  source: FileSource = readOnce(),
): Promise<History | "missing" | "unreadable"> {
  const path = join(place, stateName(id));
  const bytes = await source.readIfThere(path);
  if (bytes === null) return "missing";
  const state = parseState(bytes);
  if (state === "newer")
    throw new UnreadError(
      "history-newer",
      `The conversation in ${path} was written by a later version of Reprise.`,
      `Update Reprise, or send with ${option("continuity", "reseed")} to start again from the transcript.`,
    );
  if (state === "damaged" || state.id !== id) return "unreadable";
  return {
    items: state.messages.map((message) => itemOf(message, hash)),
    bytes: bytes.length,
    compacted: state.messages.some(({ role }) => role === "summary"),
  };
}

function itemOf({ role, content, calls, call }: StoredMessage, hash: Hash): HistoryItem {
  // A message that asks for tools is not an answer yet.
  const isTool = role === "tool" || calls !== undefined;
  const text = isTool ? JSON.stringify({ content, calls, call }) : content;
  const as = isTool ? "tool" : role;
  return { role: as, text, digest: messageDigest(as, text, hash) };
}

export function copyOut({ id, place }: Handle, source?: FileSource): Promise<ProviderFile[]> {
  return readFiles(place, [stateName(id)], source);
}

export function copyIn(
  { place }: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  return putBack(place, files, [], aside);
}

/** The id is part of the checksums. What is not a whole state stays as it is. */
export function relocate(
  files: readonly ProviderFile[],
  from: SessionLocation,
  to: SessionLocation,
): ProviderFile[] {
  return files.map((file) => {
    if (file.name !== stateName(from.id)) return file;
    const state = parseState(file.bytes);
    const bytes =
      typeof state === "string" ? file.bytes : Buffer.from(stateText({ ...state, id: to.id }));
    return { name: stateName(to.id), bytes };
  });
}
