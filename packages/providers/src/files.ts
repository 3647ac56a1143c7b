/**
 * Reads a provider session's files, each once and up to a limit, and puts them back; files that this replaces are kept
 * aside.
 */

import { constants, type Dirent, type Stats } from "node:fs";
import { cp, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { RepriseError, UnreadError, UsageError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { FileSource, ProviderFile } from "./provider.ts";

/** An agent could write anything there, and a longer file would not fit into one string. */
const maxSessionFile = 512 * 1024 * 1024;
/** Claude keeps the state of all projects in one file. */
const maxAccountFile = 64 * 1024 * 1024;

/** What an agent program's settings or login file has; nothing if it is missing or invalid, which the program reports. */
export async function readParsed<T extends object>(
  path: string,
  parse: (text: string) => unknown = JSON.parse,
): Promise<Partial<T>> {
  try {
    const bytes = await readBounded(path, { limit: maxAccountFile, what: "file" });
    return (parse(bytes.toString("utf8")) ?? {}) as Partial<T>;
  } catch {
    return {};
  }
}

/** The named files that exist, with their content. */
export async function readFiles(
  place: string,
  names: readonly string[],
  source: FileSource = readOnce(),
): Promise<ProviderFile[]> {
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: await source.readIfThere(join(place, name)) })),
  );
  return files.filter((file): file is ProviderFile => file.bytes !== null);
}

/**
 * Puts `files` back, each atomically. Files that they replace are copied into `aside` first. The session's other
 * `found` files are copied there too, and then removed.
 */
export async function putBack(
  place: string,
  files: readonly ProviderFile[],
  found: readonly string[],
  aside: string,
): Promise<void> {
  const restored = files.map(({ name }) => name);
  for (const name of restored)
    if (relative(place, join(place, name)).startsWith(".."))
      throw new Error(`${name} is outside of ${place}.`);
  for (const name of new Set([...restored, ...found])) await keep(join(place, name), aside);
  for (const { name, bytes } of files) await replaceFile(join(place, name), bytes);
  for (const name of found)
    if (!restored.includes(name)) await rm(join(place, name), { force: true });
}

/** The real path, also of a file that does not exist yet. */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    return join(await realPath(dirname(path)), basename(path));
  }
}

/** The file's content; null when it does not exist. */
export async function readIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readBounded(path, { limit: maxSessionFile, what: "session file" });
  } catch (error) {
    if (isMissing(error)) return null;
    throw unread(path, error);
  }
}

/** The folder's entries; none when it does not exist. */
export async function listIfThere(
  path: string,
  { recursive = false }: { readonly recursive?: boolean } = {},
): Promise<Dirent[]> {
  try {
    return await readdir(path, { recursive, withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw unread(path, error);
  }
}

/** The entries of several folders; one that cannot be listed does not hide the others. */
export async function listEach(
  paths: readonly string[],
  options: { readonly recursive?: boolean } = {},
): Promise<{ entries: Dirent[]; unlisted: { path: string; problem: string }[] }> {
  const listed = await Promise.all(
    paths.map((path) =>
      listIfThere(path, options).catch((error: unknown) => {
        if (error instanceof UnreadError) return { path, problem: error.message };
        throw error;
      }),
    ),
  );
  return {
    entries: listed.flatMap((each) => (Array.isArray(each) ? each : [])),
    unlisted: listed.flatMap((each) => (Array.isArray(each) ? [] : [each])),
  };
}

/** Reads each file and folder once: everything that is read from it is the same state, whatever an agent writes. */
export function readOnce(): FileSource {
  const files = new Map<string, Promise<Uint8Array | null>>();
  const folders = new Map<string, Promise<Dirent[]>>();
  return {
    readIfThere: (path) => remembered(files, path, () => readIfThere(path)),
    listIfThere: (path, { recursive = false } = {}) =>
      remembered(folders, `${recursive} ${path}`, () => listIfThere(path, { recursive })),
  };
}

/** What could not be read is read again. */
function remembered<Read>(
  known: Map<string, Promise<Read>>,
  name: string,
  read: () => Promise<Read>,
): Promise<Read> {
  const found = known.get(name) ?? read();
  known.set(name, found);
  found.catch(() => known.delete(name));
  return found;
}

/** Only these errors mean that a file does not exist; any other is reported. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

const reasons: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EMFILE: "too many open files",
  ENFILE: "too many open files on this machine",
  EIO: "the disk reports an error",
};

function unread(path: string, error: unknown): UnreadError {
  return new UnreadError(
    "history-unread",
    error instanceof RepriseError ? error.message : systemProblem(path, error),
    `Make it readable and try again, or send with ${option("continuity", "reseed")} to start again from the transcript, or with ${option("continuity", "blank")} without it.`,
    { cause: error },
  );
}

function systemProblem(path: string, error: unknown): string {
  const { code = "unknown error", path: at = path } = error as NodeJS.ErrnoException;
  const reason = reasons[code];
  return `The provider's file ${at} cannot be read: ${reason ? `${reason} (${code})` : code}.`;
}

/** Copies what is there into `aside`, and removes it if it is a folder. */
export async function keep(path: string, aside: string): Promise<void> {
  const found = await lookAt(path);
  if (found === null) return;
  await mkdir(aside, { recursive: true, mode: 0o700 });
  let kept = join(aside, basename(path));
  for (let number = 2; await lookAt(kept); number += 1)
    kept = join(aside, `${basename(path)}.${number}`);
  await cp(path, kept, { recursive: true });
  // A file replaces a file, but not a folder.
  if (found.isDirectory()) await rm(path, { recursive: true });
}

/** Atomic: at no point is the file missing or half written. */
async function replaceFile(target: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const whole = `${target}.restoring`;
  {
    await using file = await open(whole, "w", 0o600);
    await file.writeFile(bytes);
    await file.sync();
  }
  await rename(whole, target);
  await using opened = await open(folder, "r");
  await opened.sync();
}

function lookAt(path: string): Promise<Stats | null> {
  return lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

// Reads a file whose path comes from a caller, a setting or an agent: a regular file, up to a limit. A
// FIFO would block one of the few threads that read for the whole process, and a device may have no end.
// /

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

// JSON lines: the format of agents' output and of their session files.

/** The JSON object on a line; null for any other line. */
export function jsonLine(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

/**
 * The lines of a file that is only appended to. Null when its last line is torn or a byte is not UTF-8: an agent
 * that skips such a line knows less than it did, so the whole file counts as unreadable.
 */
export function wholeLines(bytes: Uint8Array): string[] | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const lines = text.split("\n");
    return lines.pop() === "" ? lines : null;
  } catch {
    return null;
  }
}

interface FileLine {
  readonly text: string;
  /** The size of the file up to the next line. */
  readonly end: number;
}

/** How many bytes are read until other work of the process gets its turn; parsing them takes some milliseconds. */
const slice = 1024 * 1024;

/** The lines of a file that may be long, without empty ones. */
export async function* fileLines(bytes: Uint8Array): AsyncGenerator<FileLine> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let pause = slice;
  for (let start = 0; start < buffer.length; ) {
    const next = buffer.indexOf("\n", start);
    const end = next === -1 ? buffer.length : next;
    if (end > start) yield { text: buffer.toString("utf8", start, end), end: end + 1 };
    start = end + 1;
    if (start < pause) continue;
    await otherWork();
    pause = start + slice;
  }
}
