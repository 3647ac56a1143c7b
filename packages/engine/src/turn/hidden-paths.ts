/**
 * What of the home an agent's file tools neither read nor write under `read` and `edit`: the database, `token`,
 * `secret`, spools and everything else that is Reprise's own, and the folders of other agents and runs. Its own
 * folder, that of its run, and the work folder stay open. A rule that denies wins over any that allows, in claude
 * as well as in codex, so the home is not hidden as a whole but entry by entry.
 */

import { readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { Agent } from "@reprise/store/store";
import type { Engine } from "../engine.ts";

/** Hidden also while they are not there: they may come during the turn. */
const always = [
  "reprise.db",
  "reprise.db-wal",
  "reprise.db-shm",
  "secret",
  "token",
  "server.json",
  "server.lock",
  "server.log",
  "turns",
  "found",
];
/** Folders with one entry for each agent or run. */
const shared = ["agents", "runs"];
/** With more entries than this, all of such a folder is hidden: a command line has an end. */
const maxEntries = 200;

/** What one run keeps outside of its work folder. */
export function runFolder({ home }: Pick<Engine, "home">, run: string): string {
  return join(home.path, "runs", run);
}

export async function hiddenPaths(
  { home }: Engine,
  { name }: Agent,
  request: Pick<TurnRequest, "folder" | "origin" | "reads">,
): Promise<string[]> {
  const place = await realpath(home.path);
  const open = [
    home.agentFolder(name),
    request.folder,
    // The files of the agent whose profile it has.
    ...(request.reads ?? []),
    request.origin && runFolder({ home }, request.origin.run),
  ].filter((path) => path !== null);
  const opened = await Promise.all(open.map((path) => realpath(path).catch(() => path)));
  const isOpen = (path: string) =>
    opened.some((each) => path === each || each.startsWith(path + sep));

  const entries = await readdir(place);
  const own = new Set([...always, ...entries.filter((entry) => !shared.includes(entry))]);
  const others = await Promise.all(
    shared.map(async (entry) => {
      const within = await readdir(join(place, entry)).catch(() => []);
      if (within.length > maxEntries) return [join(place, entry)];
      return within.map((each) => join(place, entry, each));
    }),
  );
  return [...[...own].map((entry) => join(place, entry)), ...others.flat()]
    .filter((path) => !isOpen(path))
    .toSorted();
}
