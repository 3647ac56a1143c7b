/** The sessions that pi itself lists. */

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { readOnce, wholeLines } from "../files.ts";
import { foundSessions, type ReadHead, type SessionListing } from "../found-sessions.ts";
import type { FoundSession, ProviderAgent } from "../provider.ts";
import { idPattern } from "./command.ts";
import { homeOf } from "./home.ts";
import { parseHeader, parseSession } from "./session-file.ts";
import { listSessionFiles } from "./session-files.ts";

export async function sessions(
  agent: ProviderAgent,
  { folder, limit }: SessionListing,
): Promise<FoundSession[]> {
  const home = await homeOf(agent);
  const real = folder && (await realpath(folder).catch(() => folder));
  const names = await listSessionFiles(home, readOnce());
  const paths = names.map((name) => join(home, name));
  return foundSessions(paths, { folder: real, limit }, read);
}

/** Reprise resumes only sessions whose id is a UUID, in files that are named after it. */
export const read: ReadHead = async (path, head) => {
  const header = parseHeader(wholeLines(head)?.[0] ?? "");
  if (header === null || !idPattern.test(header.id)) return null;
  if (!path.endsWith(`_${header.id}.jsonl`)) return null;
  // The digests are not used.
  const session = await parseSession(head, () => "");
  const first = session?.items.find(({ role }) => role === "user");
  return first ? { id: header.id, folder: header.cwd, prompt: first.text } : null;
};
