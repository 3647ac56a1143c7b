/** The session files in gemini's home, and how long gemini keeps them. */

import { join, relative } from "node:path";
import { listEach } from "../files.ts";
import type { NativeSessions, ProviderAgent } from "../provider.ts";
import { retentionDays } from "../retention.ts";
import { filesBeside } from "./checkpoint.ts";
import { read } from "./found-sessions.ts";
import { homeOf } from "./home.ts";
import { chatsOf, projectsFolder } from "./session-files.ts";

export const native: NativeSessions = {
  list,
  identify: read,
  beside: filesBeside,
  retention,
  hooks: { events: ["AfterAgent", "SessionEnd"], settingsFile },
};

async function settingsFile(agent: ProviderAgent): Promise<string> {
  return join(await homeOf(agent), ".gemini", "settings.json");
}

async function list(agent: ProviderAgent) {
  const place = await homeOf(agent);
  const projects = await listEach([join(place, projectsFolder)]);
  const { entries, unlisted } = await listEach(
    projects.entries.map(({ name }) => join(place, chatsOf(name))),
  );
  const names = entries
    .filter(({ name }) => /^session-.*\.jsonl$/.test(name))
    .map(({ parentPath, name }) => relative(place, join(parentPath, name)));
  return { place, names, unlisted: [...projects.unlisted, ...unlisted] };
}

/** Periods as gemini (0.61) writes them, in days. */
const units = { h: 1 / 24, d: 1, w: 7, m: 30 };

async function retention(agent: ProviderAgent) {
  return retentionDays(await settingsFile(agent), {
    name: "general.sessionRetention",
    days({ general }) {
      const { enabled = true, maxAge } =
        (general as { sessionRetention?: { enabled?: boolean; maxAge?: string } } | undefined)
          ?.sessionRetention ?? {};
      if (!enabled) return null;
      const [, count, unit] = /^(\d+)([hdwm])$/.exec(maxAge ?? "") ?? [];
      return count === undefined ? undefined : Number(count) * units[unit as keyof typeof units];
    },
  });
}
