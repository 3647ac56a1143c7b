/** The session files in claude's home, and how long claude keeps them. */

import { basename, join, relative } from "node:path";
import { listEach } from "../files.ts";
import type { NativeSessions, ProviderAgent } from "../provider.ts";
import { retentionDays } from "../retention.ts";
import { filesBeside } from "./checkpoint.ts";
import { read } from "./found-sessions.ts";
import { homeOf } from "./home.ts";
import { manifest } from "./manifest.ts";

export const native: NativeSessions = {
  list,
  identify: read,
  beside: filesBeside,
  retention,
  hooks: { events: ["Stop", "SessionEnd"], settingsFile },
};

async function settingsFile(agent: ProviderAgent): Promise<string> {
  return join(await homeOf(agent), "settings.json");
}

async function list(agent: ProviderAgent) {
  const place = await homeOf(agent);
  const projects = await listEach([join(place, "projects")]);
  const { entries, unlisted } = await listEach(
    projects.entries.map(({ name }) => join(place, "projects", name)),
  );
  const names = entries
    .filter(({ name }) => manifest.idPattern.test(basename(name, ".jsonl")))
    .filter(({ name }) => name.endsWith(".jsonl"))
    .map(({ parentPath, name }) => relative(place, join(parentPath, name)));
  return { place, names, unlisted: [...projects.unlisted, ...unlisted] };
}

/** Claude (2.1.325) deletes a file by the time at which it was last written, while another session runs. */
async function retention(agent: ProviderAgent) {
  return retentionDays(await settingsFile(agent), {
    name: "cleanupPeriodDays",
    days: ({ cleanupPeriodDays }) =>
      typeof cleanupPeriodDays === "number" ? cleanupPeriodDays : undefined,
  });
}
