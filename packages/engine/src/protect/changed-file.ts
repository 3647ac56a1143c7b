/**
 * Reads what changed in a file since its last copy, in parts, so that a large file never is in memory whole. Of a file of
 * lines only whole lines are read: an agent may be writing the last one, and the next scan reads it.
 */

import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import type { KeptFile, NewKeptFile, NewPart } from "@reprise/store/contract/kept";
import { sha256 } from "../engine.ts";

/** One part is stored as one blob. */
const partBytes = 4 * 1024 * 1024;
/** Files up to this size are held in memory until their session is recorded. */
const smallBytes = 1024 * 1024;
/** How much of the beginning and the end of a copy tells whether the file still begins with it. */
const windowBytes = 4096;

export interface FoundFile {
  readonly name: string;
  readonly size: number;
  readonly modifiedAt: number;
}

/** Counts what is read from files. */
export class ReadCount {
  readonly paths = new Set<string>();
  bytes = 0;
}

export interface ReadingOptions {
  /** The beginning of the file, if it was read already. */
  readonly head: Uint8Array;
  readonly count: ReadCount;
  /** Stores parts of a file before the file itself is recorded, and so frees their memory. */
  flush(parts: readonly { sha256: string; bytes: Uint8Array }[]): Promise<void>;
}

/** The beginning of a file. */
export async function readHead(path: string, bytes: number, count: ReadCount): Promise<Uint8Array> {
  await using file = await open(path);
  const head = await readRange(file, 0, bytes);
  count.paths.add(path);
  count.bytes += head.length;
  return head;
}

/** @throws what the system says: ENOENT, EACCES … */
export async function readChange(
  path: string,
  found: FoundFile,
  known: KeptFile | undefined,
  { head, count, flush }: ReadingOptions,
): Promise<NewKeptFile> {
  await using file = head.length < found.size ? await open(path) : null;
  const read = async (from: number, to: number) => {
    if (file === null || to <= head.length) return head.subarray(from, to);
    count.paths.add(path);
    const bytes = await readRange(file, from, to);
    count.bytes += bytes.length;
    return bytes;
  };
  const end = basename(path).endsWith(".jsonl") ? await endOfLines(read, found.size) : found.size;
  const appended =
    known !== undefined &&
    end >= known.size &&
    (await fingerprint(read, known.size)) === known.fingerprint;
  const generation = known === undefined ? 1 : known.generation + (appended ? 0 : 1);
  const parts: NewPart[] = [];
  const from = appended ? known.size : 0;
  const isLarge = end - from > smallBytes;
  for (let start = from; start < end; ) {
    const bytes = await read(start, Math.min(start + partBytes, end));
    // It became shorter meanwhile; the next scan sees what it is then.
    if (bytes.length === 0) throw changedMeanwhile(path);
    const part = { sha256: sha256(bytes), bytes };
    if (isLarge) await flush([part]);
    parts.push({ ...part, start, size: bytes.length, bytes: isLarge ? null : bytes });
    start += bytes.length;
  }
  return {
    name: found.name,
    generation,
    size: end,
    foundSize: found.size,
    modifiedAt: found.modifiedAt,
    fingerprint: await fingerprint(read, end),
    after: known === undefined ? null : { generation: known.generation, size: known.size },
    parts,
  };
}

type Read = (from: number, to: number) => Promise<Uint8Array>;

/** The size up to the last whole line. */
async function endOfLines(read: Read, size: number): Promise<number> {
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - windowBytes);
    const at = (await read(from, to)).lastIndexOf(0x0a);
    if (at !== -1) return from + at + 1;
    to = from;
  }
  return 0;
}

async function fingerprint(read: Read, size: number): Promise<string> {
  const head = await read(0, Math.min(windowBytes, size));
  const tail = await read(Math.max(head.length, size - windowBytes), size);
  return sha256(Buffer.concat([head, tail]));
}

async function readRange(file: FileHandle, from: number, to: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.max(0, to - from));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function changedMeanwhile(path: string): Error {
  return new Error(`${path} was written while it was read; the next scan reads it again.`);
}
