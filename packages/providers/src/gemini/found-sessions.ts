/** The sessions that gemini itself lists in a folder. */

import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listIfThere, readIfThere, readOnce } from "../files.ts";
import { foundSessions, type ReadHead, type SessionListing } from "../found-sessions.ts";
import type { FoundSession, ProviderAgent } from "../provider.ts";
import { homeOf } from "./home.ts";
import { itemsOf, parseSession } from "./session-file.ts";
import { chatsOf, listSlugs, rootFile } from "./session-files.ts";

export async function sessions(
  agent: ProviderAgent,
  { folder, limit }: SessionListing,
): Promise<FoundSession[]> {
  const home = await homeOf(agent);
  const real = folder && (await realpath(folder).catch(() => folder));
  const slugs = await listSlugs(home, readOnce());
  const chats = await Promise.all(slugs.map((slug) => listIfThere(join(home, chatsOf(slug)))));
  const paths = chats
    .flat()
    .filter(({ name }) => /^session-.*\.jsonl$/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return foundSessions(paths, { folder: real, limit }, read);
}

export const read: ReadHead = async (path, head) => {
  const session = await parseSession(head);
  // A subagent has another kind. The digests are not used.
  if (session === null || (session.header.kind ?? "main") !== "main") return null;
  const first = itemsOf(session.messages, () => "").find(({ role }) => role === "user");
  if (first === undefined) return null;
  const root = await readIfThere(join(dirname(path), "..", rootFile)).catch(() => null);
  const folder = root && Buffer.from(root).toString("utf8").trim();
  return { id: session.header.sessionId, folder, prompt: first.text };
};
