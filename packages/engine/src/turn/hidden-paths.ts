/**
 * The paths of the home that an agent's file tools may neither read nor write under `read` and `edit`: the
 * database, `token`, `secret`, spools and all other files of Reprise, and the folders of other agents and runs.
 * If the home is on PostgreSQL, they include the passfile, which may have the password of its database.
 * The agent's own folder, its run's folder and the work folder stay open. In claude and codex a deny rule wins
 * over any allow rule, so the home is hidden entry by entry, not as a whole.
 */

import { readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { Agent } from "@reprise/store/contract/agents";
import type { Engine } from "../engine.ts";
import { passFile } from "../pass-file.ts";
import { isShared } from "../store-record.ts";

/** Hidden even if they do not exist yet: they may be created during the turn. */
const always = [
  "reprise.db",
  "reprise.db-wal",
  "reprise.db-shm",
  "secret",
  "token",
  "store.json",
  "server.json",
  "server.lock",
  "server.log",
  "server.log.1",
  "server.log.2",
  "server.log.3",
  "server.err",
  "turns",
  "found",
];
/** Folders with one entry for each agent or run. */
const shared = ["agents", "runs"];
/** A folder with more entries is hidden as a whole, because the length of a command line is limited. */
const maxEntries = 200;

/** The folder of one run's own files, outside its work folder. */
export function runFolder({ home }: Pick<Engine, "home">, run: string): string {
  return join(home.path, "runs", run);
}

export async function hiddenPaths(
  { home, env }: Pick<Engine, "home" | "env">,
  { name }: Pick<Agent, "name">,
  request: Pick<TurnRequest, "folder" | "origin" | "reads">,
): Promise<string[]> {
  const place = await realpath(home.path);
  const open = [
    home.agentFolder(name),
    request.folder,
    // The files of the agent whose profile it inherits.
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
  const passwords = isShared(place)
    ? [await realpath(passFile(env)).catch(() => passFile(env))]
    : [];
  return [...[...own].map((entry) => join(place, entry)), ...others.flat(), ...passwords]
    .filter((path) => !isOpen(path))
    .toSorted();
}
