/**
 * Copies a gemini session out of its home and back: its file, without what was replaced in it; the path of its project,
 * by which gemini finds the folder; and the long tool results and subagents beside it.
 */

import { join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import { putBack, readFiles, readOnce } from "../files.ts";
import type { FileSource, ProviderFile } from "../provider.ts";
import { normalized } from "./session-file.ts";
import {
  chatsOf,
  findSessionFiles,
  listSlugs,
  rootFile,
  rootOf,
  slugOf,
  withContent,
  withoutEarlier,
} from "./session-files.ts";

/** None if the file cannot be read: then there is nothing that is worth keeping. */
export async function copyOut(
  handle: Handle,
  source: FileSource = readOnce(),
): Promise<ProviderFile[]> {
  const [file] = withContent(await findSessionFiles(handle, source));
  if (!file?.session) return [];
  return [
    { name: file.name, bytes: normalized(file.session) },
    ...(await readFiles(handle.place, await filesBeside(handle, file.name, source), source)),
  ];
}

/** The path of the session's project, its long tool results and its subagents. */
export async function filesBeside(
  handle: Handle,
  name: string,
  source: FileSource = readOnce(),
): Promise<string[]> {
  const { slug } = slugOf(name) ?? {};
  return slug === undefined ? [] : [rootOf(slug), ...(await artifacts(handle, slug, source))];
}

/**
 * Writes into the folder that gemini has for the project in this home, which may have another name than where the files
 * come from. Other files with a history of the session are moved away: gemini would take the newest.
 */
export async function copyIn(
  handle: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  const { id, place } = handle;
  const slug = slugOf(files[0]?.name ?? "")?.slug;
  if (slug === undefined) return;
  const root = files.find(({ name }) => name === rootOf(slug))?.bytes;
  const target = await folderFor(place, slug, root);
  const placed = withoutEarlier(files, id).map(({ name, bytes }) => ({
    name: inSlug(name, slug, target),
    bytes,
  }));
  const there = await readFiles(
    place,
    placed.map(({ name }) => name),
  );
  const isThere = ({ name, bytes }: ProviderFile) =>
    there.some((file) => file.name === name && Buffer.compare(file.bytes, bytes) === 0);
  const names = placed.map(({ name }) => name);
  const others = withContent(await findSessionFiles({ id, place }))
    .map(({ name }) => name)
    .filter((name) => !names.includes(name));
  await putBack(
    place,
    placed.filter((file) => !isThere(file)),
    others,
    aside,
  );
}

/** The folder that belongs to the project here, else the wanted one, or one like it that no project has. */
async function folderFor(
  place: string,
  wanted: string,
  root: Uint8Array | undefined,
): Promise<string> {
  const source = readOnce();
  const owners = new Map<string, string>();
  for (const slug of await listSlugs(place, source)) {
    const owner = await source.readIfThere(join(place, rootOf(slug)));
    if (owner) owners.set(slug, textOf(owner));
  }
  const project = root && textOf(root);
  const known = [...owners].find(([, owner]) => owner === project)?.[0];
  if (known !== undefined) return known;
  for (let number = 0; ; number += 1) {
    const slug = number === 0 ? wanted : `${wanted}-${number}`;
    if (!owners.has(slug)) return slug;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8").trim();
}

function inSlug(name: string, from: string, to: string): string {
  const found = slugOf(name);
  return found?.slug === from ? join(rootOf(to).slice(0, -rootFile.length), found.rest) : name;
}

/** The conversation names long tool results by their path. */
async function artifacts(
  { id, place }: Handle,
  slug: string,
  source: FileSource,
): Promise<string[]> {
  const folder = chatsOf(slug);
  const folders = [join(folder, id), join(folder, "..", "tool-outputs", `session-${id}`)];
  const found = await Promise.all(
    folders.map(async (each) => {
      const entries = await source.listIfThere(join(place, each), { recursive: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(each, entry.parentPath.slice(join(place, each).length), entry.name));
    }),
  );
  return found.flat().toSorted();
}
