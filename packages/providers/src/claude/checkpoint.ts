/** Copies a claude session out of its home and back: its file, and the folder of long tool results and subagents beside it. */

import { dirname, join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import { putBack, readFiles, readOnce } from "../files.ts";
import type { FileSource, ProviderFile } from "../provider.ts";
import { findSessions } from "./session-file.ts";

export async function copyOut(
  handle: Handle,
  source: FileSource = readOnce(),
): Promise<ProviderFile[]> {
  const [name] = await findSessions(handle, source);
  if (name === undefined) return [];
  return readFiles(handle.place, [name, ...(await filesBeside(handle, name, source))], source);
}

/** Claude refuses a session that has two files, so all others of this session are removed. */
export async function copyIn(
  handle: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  const there = await readFiles(
    handle.place,
    files.map(({ name }) => name),
  );
  const same = ({ name, bytes }: ProviderFile) =>
    there.some((file) => file.name === name && Buffer.compare(file.bytes, bytes) === 0);
  const names = files.map(({ name }) => name);
  const others = (await findSessions(handle)).filter((name) => !names.includes(name));
  await putBack(
    handle.place,
    files.filter((file) => !same(file)),
    others,
    aside,
  );
}

/** The transcript refers to these by their path in the home, so they go back to where they were. */
export async function filesBeside(
  { id, place }: Handle,
  name: string,
  source: FileSource = readOnce(),
): Promise<string[]> {
  const folder = join(dirname(name), id);
  const entries = await source.listIfThere(join(place, folder), { recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(folder, entry.parentPath.slice(join(place, folder).length), entry.name));
}
