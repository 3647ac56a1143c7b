/** The sessions that claude itself lists in a folder: the files of the project that is named after it. */

import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { jsonLine, listIfThere } from "../files.ts";
import { foundSessions, type ReadHead, type SessionListing } from "../found-sessions.ts";
import type { FoundSession, ProviderAgent } from "../provider.ts";
import { homeOf } from "./home.ts";
import { manifest } from "./manifest.ts";
import { slugOf } from "./relocate.ts";
import { parseSession } from "./session-file.ts";

export async function sessions(
  agent: ProviderAgent,
  { folder, limit }: SessionListing,
): Promise<FoundSession[]> {
  const projects = join(await homeOf(agent), "projects");
  const real = folder && (await realpath(folder).catch(() => folder));
  const names = (await listIfThere(projects)).map(({ name }) => name);
  // Two folders may have the same slug, so the session's own folder decides.
  const slug = real && slugOf(real);
  const wanted = names.filter((name) => slug === null || name.startsWith(slug));
  const files = await Promise.all(wanted.map((name) => listIfThere(join(projects, name))));
  const paths = files.flat().flatMap(({ parentPath, name }) => {
    const id = name.replace(/\.jsonl$/, "");
    return id !== name && manifest.idPattern.test(id) ? [join(parentPath, name)] : [];
  });
  return foundSessions(paths, { folder: real, limit }, read);
}

export const read: ReadHead = async (path, head) => {
  // The digests are not used.
  const parsed = await parseSession(head, () => "");
  const prompt = parsed?.items.find(({ role }) => role === "user")?.text;
  if (prompt === undefined) return null;
  return { id: basename(path, ".jsonl"), folder: folderIn(head), prompt };
};

/** The first message names the folder that claude was started in. */
function folderIn(head: Uint8Array): string | null {
  for (const line of Buffer.from(head).toString("utf8").split("\n")) {
    const cwd = jsonLine(line)?.cwd;
    if (typeof cwd === "string") return cwd;
  }
  return null;
}
