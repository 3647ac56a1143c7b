/** Rewrites a claude session's files for another id, or moves them to where claude looks for another folder's. */

import type { ProviderFile, SessionLocation } from "../provider.ts";

/**
 * Replaces the session's id in every line. Mentions in the conversation stay, and so do the paths of long tool
 * results, which the model has seen.
 */
export function relocate(
  files: readonly ProviderFile[],
  from: SessionLocation,
  to: SessionLocation,
): ProviderFile[] {
  return files.map(({ name, bytes }) => ({
    name: relocatedName(name, from, to),
    bytes: name.endsWith(".jsonl") && from.id !== to.id ? renamed(bytes, from.id, to.id) : bytes,
  }));
}

function relocatedName(name: string, from: SessionLocation, to: SessionLocation): string {
  const [projects = "", slug = "", own = "", ...rest] = name.split("/");
  const session = own === from.id || own === `${from.id}.jsonl`;
  if (projects !== "projects" || !session) return name;
  const folder = from.folder === to.folder ? slug : slugOf(to.folder);
  return [projects, folder, own.replace(from.id, to.id), ...rest].join("/");
}

/** Claude adds a digest to a slug of more than 200 characters; it finds a session in any folder. */
export function slugOf(folder: string): string {
  return folder.replace(/[^A-Za-z0-9]/g, "-").slice(0, 200);
}

function renamed(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = Buffer.from(bytes).toString("utf8");
  return Buffer.from(text.replaceAll(`"sessionId":"${from}"`, `"sessionId":"${to}"`));
}
