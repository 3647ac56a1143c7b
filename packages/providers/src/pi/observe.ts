/** Reads the history of a pi session, and what it was before a person went back in pi's own screen. */

import { join } from "node:path";
import type { Hash } from "@reprise/core/conversation/slice";
import type { History } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import { readOnce } from "../files.ts";
import type { FileSource } from "../provider.ts";
import { parseSession } from "./session-file.ts";
import { findSessionFiles } from "./session-files.ts";

export async function observe(
  handle: Handle,
  hash: Hash,
  source: FileSource = readOnce(),
): Promise<History | "missing" | "unreadable"> {
  const [name, ...others] = await findSessionFiles(handle, source);
  if (name === undefined) return "missing";
  // Pi would take the first that its folder lists.
  if (others.length > 0) return "unreadable";
  const bytes = await source.readIfThere(join(handle.place, name));
  if (bytes === null) return "missing";
  return (await historyIn(bytes, handle, hash)) ?? "unreadable";
}

/** The file is only appended to, so its beginning is an earlier state, whose branch may not be the current one. */
export async function earlier(
  handle: Handle,
  size: number,
  hash: Hash,
  source: FileSource = readOnce(),
): Promise<History[]> {
  const [name] = await findSessionFiles(handle, source);
  const bytes = name === undefined ? null : await source.readIfThere(join(handle.place, name));
  if (bytes === null || bytes.length < size) return [];
  const history = await historyIn(bytes.subarray(0, size), handle, hash);
  return history ? [history] : [];
}

async function historyIn(bytes: Uint8Array, { id }: Handle, hash: Hash): Promise<History | null> {
  const session = await parseSession(bytes, hash);
  if (session?.header.id !== id) return null;
  const { items, context, abandoned } = session;
  const left = abandoned.length > 0 ? { abandoned } : {};
  return { items, bytes: bytes.length, compacted: false, context, ...left };
}
