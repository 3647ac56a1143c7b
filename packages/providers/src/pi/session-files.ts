/**
 * Where pi keeps its sessions: `sessions/<slug>/<time>_<id>.jsonl` in its home, with a slug for each work folder. Pi
 * (1.5) takes any file there whose first line names the id, whatever the file is called.
 */

import { join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import { readOnce } from "../files.ts";
import type { FileSource } from "../provider.ts";

export const sessionsFolder = "sessions";

/** The folder with the sessions of a work folder, relative to the home. Two work folders may share one. */
export function sessionFolder(folder: string): string {
  return join(sessionsFolder, `--${folder.replace(/^\//, "").replace(/[/\\:]/g, "-")}--`);
}

/** All files of this session by their names, relative to the home. */
export async function findSessionFiles(
  { id, place }: Handle,
  source: FileSource = readOnce(),
): Promise<string[]> {
  const names = await listSessionFiles(place, source);
  return names.filter((name) => isNamed(name, id));
}

export async function listSessionFiles(place: string, source: FileSource): Promise<string[]> {
  const found: string[] = [];
  for (const { name: slug } of await source.listIfThere(join(place, sessionsFolder)))
    for (const { name } of await source.listIfThere(join(place, sessionsFolder, slug)))
      if (name.endsWith(".jsonl")) found.push(join(sessionsFolder, slug, name));
  return found;
}

export function isNamed(name: string, id: string): boolean {
  return name.startsWith(`${sessionsFolder}/`) && name.endsWith(`_${id}.jsonl`);
}
