/** Copies a pi session's file out of its home and back. */

import type { Handle } from "@reprise/core/session/pin";
import { putBack, readFiles, readOnce } from "../files.ts";
import type { FileSource, ProviderFile } from "../provider.ts";
import { findSessionFiles } from "./session-files.ts";

export async function copyOut(
  handle: Handle,
  source: FileSource = readOnce(),
): Promise<ProviderFile[]> {
  const [name] = await findSessionFiles(handle, source);
  return name === undefined ? [] : readFiles(handle.place, [name], source);
}

/** Other files of this session are moved away: pi would take the first. */
export async function copyIn(
  handle: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  const names = files.map(({ name }) => name);
  const there = await readFiles(handle.place, names);
  const isThere = ({ name, bytes }: ProviderFile) =>
    there.some((file) => file.name === name && Buffer.compare(file.bytes, bytes) === 0);
  const others = (await findSessionFiles(handle)).filter((name) => !names.includes(name));
  await putBack(
    handle.place,
    files.filter((file) => !isThere(file)),
    others,
    aside,
  );
}
