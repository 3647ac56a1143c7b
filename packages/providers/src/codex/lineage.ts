/**
 * The files that make up a codex thread. The rollout of a fork, and the segment that a rewind begins, contain only what
 * came after: their first line names the rollout that they continue and how many bytes of it. Codex (0.166) refuses a
 * thread whose earlier rollouts are missing, so they are read with it.
 */

import { open } from "node:fs/promises";
import { join } from "node:path";
import { readOnce } from "../files.ts";
import type { FileSource, ProviderFile } from "../provider.ts";
import { findSegment, type RolloutFile } from "./rollout-files.ts";

interface Base {
  readonly segment: string;
  readonly bytes: number;
}

export interface Rollout extends ProviderFile, RolloutFile {}

/** The parts of earlier rollouts that this one continues, then the rollout itself; null when one is missing. */
export async function readLineage(
  place: string,
  last: RolloutFile,
  source: FileSource = readOnce(),
): Promise<Rollout[] | null> {
  const files: Rollout[] = [];
  let length = Infinity;
  for (let file: RolloutFile | undefined = last; file; ) {
    const { segment } = file;
    if (files.some((each) => each.segment === segment)) return null;
    const bytes: Uint8Array | null = await source.readIfThere(join(place, file.name));
    if (bytes === null || (length !== Infinity && bytes.length < length)) return null;
    files.unshift({ ...file, bytes: bytes.subarray(0, length) });
    const base = baseOf(bytes);
    if (base === null) return files;
    length = base.bytes;
    file = await findSegment(place, base.segment, source);
  }
  return null;
}

/** Whether the file at that path begins with these bytes: then it belongs to another thread, and may have grown. */
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
      ? { segment: thread_id, bytes: end_byte_offset }
      : null;
  } catch {
    return null;
  }
}
