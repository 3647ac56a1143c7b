/** The threads in codex's home that a person can resume, from the beginning of their rollouts. */

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { jsonLine, listIfThere } from "../files.ts";
import { foundSessions, type ReadHead, type SessionListing } from "../found-sessions.ts";
import type { FoundSession, ProviderAgent } from "../provider.ts";
import { homeOf } from "./home.ts";
import { parseRollout } from "./rollout.ts";
import { rolloutFile } from "./rollout-files.ts";

export async function sessions(
  agent: ProviderAgent,
  { folder, limit }: SessionListing,
): Promise<FoundSession[]> {
  const real = folder && (await realpath(folder).catch(() => folder));
  const entries = await listIfThere(join(await homeOf(agent), "sessions"), { recursive: true });
  const paths = entries
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => rolloutFile(path) !== null);
  return foundSessions(paths, { folder: real, limit }, read);
}

export const read: ReadHead = async (path, head) => {
  const [first = ""] = Buffer.from(head).toString("utf8").split("\n", 1);
  const { payload } = (jsonLine(first) ?? {}) as {
    payload?: { id?: string; cwd?: string; source?: unknown };
  };
  const thread = rolloutFile(path)?.thread;
  // A thread that another one started has an object that names it; a person cannot resume it.
  if (thread === undefined || typeof payload?.source !== "string") return null;
  // The digests are not used. A segment of a thread begins with the id of the segment.
  const parsed = await parseRollout(head, payload.id ?? thread, () => "");
  const prompt = parsed?.items.find(({ role }) => role === "user")?.text;
  if (prompt === undefined) return null;
  return { id: thread, folder: payload.cwd ?? null, prompt };
};
