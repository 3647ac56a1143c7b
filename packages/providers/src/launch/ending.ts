/** Ends all processes of a turn, whatever their process group or session, and waits until they are gone. */

import { setTimeout as wait } from "node:timers/promises";
import { mark, type ProcessRow, processTable } from "./process.ts";

const firstPause = 2;
const longestPause = 20;
/** Milliseconds that a shim may take to record the exit of its agent. */
const recording = 1000;

export interface Ending {
  /** The turn's live processes; called repeatedly. */
  readonly known: () => ProcessRow[];
  /** A shim records the agent's exit and then ends by itself, so it is killed only if it does not. */
  readonly shims: () => (row: ProcessRow) => boolean;
  readonly grace: number;
}

export async function endProcesses({ known, shims, grace }: Ending): Promise<void> {
  const begun = performance.now();
  let aloneSince: number | null = null;
  let ours: ProcessRow[] = [];
  const signalled = new Set<string>();
  const foreign = new Set<string>();

  function send(row: ProcessRow, signal: NodeJS.Signals): void {
    try {
      process.kill(row.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EPERM") foreign.add(nameOf(row));
      else if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const isShim = shims();
    ours = withTools([...known(), ...ours], isShim).filter((row) => !foreign.has(nameOf(row)));
    if (ours.length === 0) return;
    const agents = ours.filter((row) => !isShim(row));
    const now = performance.now();
    aloneSince = agents.length > 0 ? null : (aloneSince ?? now);

    if (aloneSince !== null) {
      if (now - aloneSince > recording) for (const row of ours) send(row, "SIGKILL");
    } else if (now - begun >= grace) {
      for (const row of agents) send(row, "SIGKILL");
    } else {
      // Once each: some agents exit without saving on a second SIGTERM.
      for (const row of agents.filter((row) => !signalled.has(nameOf(row)))) send(row, "SIGTERM");
      for (const row of agents) signalled.add(nameOf(row));
    }
    await wait(pause);
  }
}

/**
 * Those of `rows` that still live, every process that shares a group with one of them or the session of a shim, and
 * what these started. A tool that was given an empty environment carries no mark, and codex (0.166) starts the sandbox
 * of its file tools so; killed while it does, it leaves a `bwrap` behind that has neither parent nor group in common
 * with it. A process with the mark of another turn is that turn's.
 */
function withTools(
  rows: readonly ProcessRow[],
  isShim: (row: ProcessRow) => boolean,
): ProcessRow[] {
  const names = new Set(rows.map(nameOf));
  const living = processTable.rows().filter(({ pid }) => pid !== process.pid);
  const children = Map.groupBy(living, ({ parent }) => parent);
  const ownGroup = processTable.row(process.pid)?.group;
  const groups = new Set(living.filter((row) => names.has(nameOf(row))).map(({ group }) => group));
  // Every shim begins a session.
  const sessions = new Set(rows.filter(isShim).map(({ pid }) => pid));
  const found = new Set(
    living.filter(
      (row) =>
        names.has(nameOf(row)) ||
        (row.group !== ownGroup && groups.has(row.group)) ||
        (row.session !== undefined && sessions.has(row.session)),
    ),
  );
  for (const { pid } of found)
    for (const child of children.get(pid) ?? [])
      if (!found.has(child) && processTable.variable(child.pid, mark) === null) found.add(child);
  return [...found];
}

function nameOf({ pid, start }: ProcessRow): string {
  return `${pid} ${start}`;
}
