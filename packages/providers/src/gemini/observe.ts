/** Reads the history of a gemini session, and what it was before a person went back in gemini's own screen. */

import type { Hash } from "@reprise/core/conversation/slice";
import type { History } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import type { FileSource } from "../provider.ts";
import { type GeminiSession, itemsOf, parseSession } from "./session-file.ts";
import { findSessionFiles, withContent } from "./session-files.ts";

export async function observe(
  handle: Handle,
  hash: Hash,
  source?: FileSource,
): Promise<History | "missing" | "unreadable"> {
  const [file, ...others] = withContent(await findSessionFiles(handle, source));
  if (file === undefined) return "missing";
  // Which of several gemini would take depends on where it is started and on their times.
  if (file.session === null || others.length > 0) return "unreadable";
  return historyOf(file.session, file.bytes.length, hash);
}

/** The file is only appended to, so its beginning is an earlier state. */
export async function earlier(
  handle: Handle,
  size: number,
  hash: Hash,
  source?: FileSource,
): Promise<History[]> {
  const [file] = withContent(await findSessionFiles(handle, source));
  if (file === undefined || file.bytes.length < size) return [];
  const session = await parseSession(file.bytes.subarray(0, size));
  return session ? [historyOf(session, size, hash)] : [];
}

function historyOf({ messages }: GeminiSession, bytes: number, hash: Hash): History {
  const items = itemsOf(messages, hash);
  return { items, bytes, compacted: items[0]?.role === "summary" };
}
