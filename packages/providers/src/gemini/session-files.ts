/**
 * Finds the files of a gemini session in its home: `.gemini/tmp/<slug>/chats/session-….jsonl`. Gemini (0.61) looks in the
 * folder of its project alone, and takes any file whose name begins with `session-`.
 *
 * It names a file after the minute and the first 8 characters of the id. A resume in a later minute leaves an empty file
 * beside it, and gemini's clean-up, which is on by default, deletes every file with the same 8 characters at the end of
 * its name as an empty one has, unless the session is its own. So `ownName` ends with the last 8 characters of the id.
 */

import { basename, dirname, join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import { readOnce } from "../files.ts";
import type { FileSource } from "../provider.ts";
import { type GeminiSession, isEmpty, parseSession } from "./session-file.ts";

export interface SessionFile {
  /** Relative to the home. */
  readonly name: string;
  /** Null when it cannot be read. */
  readonly session: GeminiSession | null;
  readonly bytes: Uint8Array;
}

/** With a folder for each project. */
export const projectsFolder = join(".gemini", "tmp");
/** In the folder of a project: the path of that project. */
export const rootFile = ".project_root";

export function chatsOf(slug: string): string {
  return join(projectsFolder, slug, "chats");
}

export function rootOf(slug: string): string {
  return join(projectsFolder, slug, rootFile);
}

/** The name under which Reprise keeps the session's file. */
export function ownName(id: string): string {
  return `session-${id.slice(0, 8)}-${id.slice(-8)}.jsonl`;
}

/** The slug in a file's name, and the path below it. */
export function slugOf(name: string): { readonly slug: string; readonly rest: string } | null {
  const [gemini, tmp, slug = "", ...rest] = name.split("/");
  if (join(gemini ?? "", tmp ?? "") !== projectsFolder || slug === "") return null;
  return { slug, rest: rest.join("/") };
}

export async function listSlugs(place: string, source: FileSource): Promise<string[]> {
  return (await source.listIfThere(join(place, projectsFolder))).map(({ name }) => name);
}

/** All files that are this session's by name and content, and those of its name that cannot be read. */
export async function findSessionFiles(
  { id, place }: Handle,
  source: FileSource = readOnce(),
): Promise<SessionFile[]> {
  const found: SessionFile[] = [];
  for (const slug of await listSlugs(place, source))
    for (const { name: file } of await source.listIfThere(join(place, chatsOf(slug)))) {
      if (!isNamed(file, id)) continue;
      const name = join(chatsOf(slug), file);
      const bytes = await source.readIfThere(join(place, name));
      if (bytes === null) continue;
      const session = await parseSession(bytes);
      if (session === null || session.header.sessionId === id) found.push({ name, session, bytes });
    }
  return found;
}

/** Those from which gemini could continue, or which cannot be read: the others are empty. */
export function withContent(files: readonly SessionFile[]): SessionFile[] {
  return files.filter(({ session }) => session === null || !isEmpty(session));
}

/**
 * The files without earlier copies of the session's own: a checkpoint still has the one from before the first resume, under
 * the name that gemini gave it.
 */
export function withoutEarlier<F extends { readonly name: string }>(
  files: readonly F[],
  id: string,
): F[] {
  const isOwn = ({ name }: F) => dirname(name).endsWith("/chats") && isNamed(basename(name), id);
  const own = files.filter(isOwn);
  const kept = own.find(({ name }) => basename(name) === ownName(id)) ?? own.at(-1);
  return files.filter((file) => file === kept || !isOwn(file));
}

export function isNamed(file: string, id: string): boolean {
  return /^session-.*\.jsonl?$/.test(file) && file.includes(id.slice(0, 8));
}
