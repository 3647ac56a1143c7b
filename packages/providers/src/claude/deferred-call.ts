/** Finds the call that a claude session still has deferred. A resumed claude retries it before it reads its prompt. */

import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import { findSessions } from "./session-file.ts";

/** Little follows such a call in the file, but it may be a long result; an older call was settled by a later answer. */
const tails = [64 * 1024, 1024 * 1024];

interface Entry {
  readonly type?: string;
  readonly isSidechain?: boolean;
  readonly attachment?: { readonly type?: string; readonly toolUseID?: string };
}

/** The call's id; null when there is none, or the model has answered since. */
export async function deferredCall(handle: Handle): Promise<string | null> {
  const [name] = await findSessions(handle);
  if (name === undefined) return null;
  for (const length of tails) {
    const found = deferredIn(await tailOf(join(handle.place, name), length));
    if (found !== undefined) return found;
  }
  return null;
}

/** Undefined if the tail has neither such a call nor an answer. */
export function deferredIn(tail: string): string | null | undefined {
  for (const line of tail.split("\n").reverse()) {
    const { type, isSidechain, attachment } = parse(line);
    if (type === "assistant" && !isSidechain) return null;
    if (attachment?.type === "hook_deferred_tool") return attachment.toolUseID ?? null;
  }
  return undefined;
}

async function tailOf(path: string, tailBytes: number): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const length = Math.min(size, tailBytes);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString("utf8");
}

/** The first line of the tail may be cut off; a line that cannot be parsed is not a call. */
function parse(line: string): Entry {
  try {
    return (JSON.parse(line) ?? {}) as Entry;
  } catch {
    return {};
  }
}
