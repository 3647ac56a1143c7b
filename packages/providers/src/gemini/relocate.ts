/** Rewrites a gemini session's files for another id, or for another project. */

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { ProviderFile, SessionLocation } from "../provider.ts";
import {
  chatsOf,
  isNamed,
  ownName,
  rootFile,
  rootOf,
  slugOf,
  withoutEarlier,
} from "./session-files.ts";

/** Mentions in the conversation stay, and so do the paths of long tool results, which the model has seen. */
export function relocate(
  files: readonly ProviderFile[],
  from: SessionLocation,
  to: SessionLocation,
): ProviderFile[] {
  return withoutEarlier(files, from.id).map(({ name, bytes }) => {
    const { slug, rest } = slugOf(name) ?? {};
    if (slug === undefined || rest === undefined) return { name, bytes };
    const target = from.folder === to.folder ? slug : slugFor(to.folder);
    if (isSessionFile(name, slug, from.id))
      return from.id === to.id
        ? { name: join(chatsOf(target), basename(name)), bytes }
        : { name: join(chatsOf(target), ownName(to.id)), bytes: renamed(bytes, from.id, to.id) };
    if (rest === rootFile)
      return {
        name: rootOf(target),
        bytes: from.folder === to.folder ? bytes : Buffer.from(to.folder),
      };
    return { name: join(chatsOf(target), "..", rest.replace(from.id, to.id)), bytes };
  });
}

function isSessionFile(name: string, slug: string, id: string): boolean {
  return dirname(name) === chatsOf(slug) && isNamed(basename(name), id);
}

/**
 * Gemini would name the folder after the project's alone, and count if that name is taken; it accepts any name once
 * the folder says which project it belongs to. Two projects must not get the same one here.
 */
export function slugFor(folder: string): string {
  const words = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const digest = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  return `${words || "project"}-${digest}`;
}

function renamed(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = Buffer.from(bytes).toString("utf8");
  return Buffer.from(text.replaceAll(`"sessionId":"${from}"`, `"sessionId":"${to}"`));
}
