/** Reads a provider session's files and puts them back; files that this replaces are kept aside. */

import type { Dirent, Stats } from "node:fs";
import { cp, lstat, mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { RepriseError, UnreadError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { readBounded } from "./bounded-file.ts";
import type { FileSource, ProviderFile } from "./provider.ts";

/** An agent could write anything there, and a longer file would not fit into one string. */
const maxSessionFile = 512 * 1024 * 1024;
/** Claude keeps the state of all projects in one file. */
const maxAccountFile = 64 * 1024 * 1024;

/** The text of an agent program's settings or login file. */
export async function readAccountFile(path: string): Promise<string> {
  const bytes = await readBounded(path, { limit: maxAccountFile, what: "file" });
  return bytes.toString("utf8");
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

async function keep(path: string, aside: string): Promise<void> {
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
