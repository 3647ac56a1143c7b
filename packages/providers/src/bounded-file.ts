/**
 * Reads a file whose path comes from a caller, a setting or an agent: a regular file, up to a limit. A
 * FIFO would block one of the few threads that read for the whole process, and a device may have no end.
 */

import { constants, type Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { UsageError } from "@reprise/core/errors/errors";

export interface ReadLimits {
  /** Maximum size in bytes. */
  readonly limit: number;
  /** What the file is called in the error message: "script". */
  readonly what: string;
  /** Also accepts pipes, such as a shell's `<(command)`; only for a process that serves no other callers. */
  readonly pipes?: boolean;
}

/**
 * @throws UsageError `not-a-file`, `file-too-large`
 * @throws what the system says: ENOENT, EACCES, EISDIR …
 */
export async function readBounded(path: string, limits: ReadLimits): Promise<Buffer> {
  // Checked before it is opened, because opening a device can have side effects.
  check(path, await stat(path), limits);
  const wait = limits.pipes ? 0 : constants.O_NONBLOCK;
  await using file = await open(path, constants.O_RDONLY | wait);
  const found = await file.stat();
  check(path, found, limits);
  const parts: Buffer[] = [];
  for (let size = 0; ; ) {
    const part = Buffer.allocUnsafe(nextSize(found, size, limits.limit));
    const { bytesRead } = await file.read(part, 0, part.length, null);
    if (bytesRead === 0) return joined(parts);
    size += bytesRead;
    if (size > limits.limit) throw tooLarge(path, limits);
    parts.push(part.subarray(0, bytesRead));
  }
}

/** A file that did not grow was read as one part, which is not copied again. */
function joined(parts: readonly Buffer[]): Buffer {
  const [only = Buffer.alloc(0)] = parts;
  return parts.length <= 1 ? only : Buffer.concat(parts);
}

/** Reads one byte more than expected, to notice a file that is larger. */
function nextSize({ size: expected }: Stats, size: number, limit: number): number {
  const rest = Math.max(expected - size, 64 * 1024) + 1;
  return Math.min(rest, limit - size + 1);
}

function check(path: string, found: Stats, limits: ReadLimits): void {
  if (found.isDirectory())
    throw Object.assign(new Error(`EISDIR: ${path} is a folder`), { code: "EISDIR" });
  if (!(found.isFile() || limits.pipes))
    throw new UsageError(
      "not-a-file",
      `The ${limits.what} ${path} is ${kindOf(found)}, not a regular file.`,
      "Name a regular file.",
    );
  if (found.isFile() && found.size > limits.limit) throw tooLarge(path, limits);
}

function kindOf(found: Stats): string {
  if (found.isFIFO()) return "a FIFO";
  return found.isSocket() ? "a socket" : "a device";
}

function tooLarge(path: string, { what, limit }: ReadLimits): UsageError {
  return new UsageError(
    "file-too-large",
    `The ${what} ${path} has more than ${sizeOf(limit)}.`,
    "Name a smaller file.",
  );
}

function sizeOf(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes / 1024} KiB`;
}
