/** The scripted agent's session file as Reprise reads it, copies it out and puts it back. */

import { cp, lstat, mkdir, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { History } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import type { ProviderFile } from "../provider.ts";
import { parseItem, sessionName } from "./session-file.ts";

/**
 * The agent itself skips lines that it can not read, and then knows less than it did. So one such line
 * makes the whole file unreadable, a torn last line too: dropped, it could pass for nothing having
 * happened, and the agent's next line would be glued to it.
 */
export async function readHistory(
  { id, place }: Handle,
  hash: Hash,
): Promise<History | "missing" | "unreadable"> {
  const bytes = await readFile(join(place, sessionName(id))).catch((error: unknown) =>
    isMissing(error) ? ("missing" as const) : ("unreadable" as const),
  );
  if (typeof bytes === "string") return bytes;
  const lines = decode(bytes)?.split("\n");
  if (lines?.pop() !== "") return "unreadable";
  const items = lines.map(parseItem);
  if (!items.every((item) => item !== null)) return "unreadable";
  return {
    items: items.map((item) => ({ ...item, digest: messageDigest(item.role, item.text, hash) })),
    bytes: bytes.length,
    compacted: items.some(({ role }) => role === "summary"),
  };
}

export async function copyOut({ id, place }: Handle): Promise<ProviderFile[]> {
  const name = sessionName(id);
  try {
    return [{ name, bytes: await readFile(join(place, name)) }];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export async function copyIn(
  { place }: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  for (const { name, bytes } of files) {
    const path = join(place, name);
    if (relative(place, path).startsWith("..")) throw new Error(`${name} is outside of ${place}.`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const fresh = `${path}.restoring`;
    await writeDurably(fresh, bytes);
    await moveAside(path, aside);
    await rename(fresh, path);
    await syncFolder(dirname(path));
  }
}

/** The real path, also of what is not there yet. */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return join(await realPath(dirname(path)), basename(path));
  }
}

async function moveAside(path: string, aside: string): Promise<void> {
  if (!(await exists(path))) return;
  await mkdir(aside, { recursive: true, mode: 0o700 });
  let kept = join(aside, basename(path));
  for (let number = 2; await exists(kept); number += 1)
    kept = join(aside, `${basename(path)}.${number}`);
  try {
    await rename(path, kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await cp(path, kept, { recursive: true });
    await rm(path, { recursive: true });
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, "w", 0o600);
  await file.writeFile(bytes);
  await file.sync();
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
