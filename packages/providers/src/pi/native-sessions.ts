/** The session files in pi's home. Pi (1.5) deletes none by itself. */

import { join, relative } from "node:path";
import { listEach } from "../files.ts";
import type { NativeSessions, ProviderAgent } from "../provider.ts";
import { read } from "./found-sessions.ts";
import { homeOf } from "./home.ts";
import { sessionsFolder } from "./session-files.ts";

export const native: NativeSessions = { list, identify: read };

async function list(agent: ProviderAgent) {
  const place = await homeOf(agent);
  const { entries, unlisted } = await listEach([join(place, sessionsFolder)], { recursive: true });
  const names = entries
    .filter(({ name }) => name.endsWith(".jsonl"))
    .map(({ parentPath, name }) => relative(place, join(parentPath, name)));
  return { place, names, unlisted };
}
