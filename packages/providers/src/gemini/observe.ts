/** Reads the history of a gemini session, and what it was before a person went back in gemini's own screen. */

import type { Hash } from "@reprise/core/conversation/slice";
import type { History } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import type { FileSource } from "../provider.ts";
import {
  type GeminiSession,
  itemsOf,
  normalized,
  parseSession,
  rewindsIn,
} from "./session-file.ts";
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
  return historyOf(file.session, hash);
}

/** What the history was before each rewind: the file is only appended to, so its beginnings are earlier states. */
export async function earlier(
  handle: Handle,
  _bytes: number,
  hash: Hash,
  source?: FileSource,
): Promise<History[]> {
  const [file] = withContent(await findSessionFiles(handle, source));
  const ends = file === undefined ? [] : await rewindsIn(file.bytes);
  const sessions = await Promise.all(ends.map((end) => parseSession(file!.bytes.subarray(0, end))));
  return sessions.flatMap((session) => (session ? historyOf(session, hash) : []));
}

/** The size is that of what is kept of the file: gemini's own grows with every resume. */
function historyOf(session: GeminiSession, hash: Hash): History {
  const items = itemsOf(session.messages, hash);
  const { length: bytes } = normalized(session);
  return { items, bytes, compacted: items[0]?.role === "summary" };
}
