/**
 * The files that a codex thread is made of. A fork's rollout has only what came after the fork: its
 * first line names the thread that it began with and how many bytes of that one's rollout, and codex
 * (0.166) refuses the fork when that file is not there. So the past of a fork is read, copied and put
 * back with it.
 */

import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import { readSessionFile } from "../files.ts";
import type { ProviderFile } from "../provider.ts";
import { findRollout } from "./rollout-files.ts";

interface Base {
  readonly thread: string;
  readonly bytes: number;
}

export interface Rollout extends ProviderFile {
  readonly thread: string;
}

/** The thread's own rollout last, before it the parts of those that it came from; null when one is not there. */
export async function readLineage(handle: Handle): Promise<Rollout[] | null> {
  const files: Rollout[] = [];
  for (let next: Base | null = { thread: handle.id, bytes: Infinity }; next; ) {
    const { thread, bytes: length }: Base = next;
    if (files.some((file) => file.thread === thread)) return null;
    const name = await findRollout({ ...handle, id: thread });
    if (name === undefined) return null;
    const bytes = await readSessionFile(join(handle.place, name));
    if (length !== Infinity && bytes.length < length) return null;
    files.unshift({ thread, name, bytes: bytes.subarray(0, length) });
    next = baseOf(bytes);
  }
  return files;
}

/** Whether the file in its place begins with these bytes: then it is somebody else's, and goes on. */
export async function beginsWith(place: string, { name, bytes }: ProviderFile): Promise<boolean> {
  try {
    await using file = await open(join(place, name));
    const found = new Uint8Array(bytes.length);
    const { bytesRead } = await file.read(found, 0, found.length, 0);
    return bytesRead === bytes.length && Buffer.compare(found, bytes) === 0;
  } catch {
    return false;
  }
}

function baseOf(bytes: Uint8Array): Base | null {
  const end = bytes.indexOf(0x0a);
  const line = Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString("utf8");
  try {
    const { thread_id, end_byte_offset } = JSON.parse(line).payload.history_base;
    return typeof thread_id === "string" && typeof end_byte_offset === "number"
      ? { thread: thread_id, bytes: end_byte_offset }
      : null;
  } catch {
    return null;
  }
}
