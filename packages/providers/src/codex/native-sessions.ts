/** The rollouts in codex's home, also those that were archived. Codex (0.166) deletes none by itself. */

import { join, relative } from "node:path";
import { listEach } from "../files.ts";
import type { NativeSessions, ProviderAgent } from "../provider.ts";
import { read } from "./found-sessions.ts";
import { homeOf } from "./home.ts";
import { rolloutFile } from "./rollout-files.ts";

export const native: NativeSessions = { list, identify: read };

async function list(agent: ProviderAgent) {
  const place = await homeOf(agent);
  const folders = ["sessions", "archived_sessions"].map((folder) => join(place, folder));
  const { entries, unlisted } = await listEach(folders, { recursive: true });
  const names = entries
    .map(({ parentPath, name }) => relative(place, join(parentPath, name)))
    .filter((name) => rolloutFile(name) !== null);
  return { place, names, unlisted };
}
