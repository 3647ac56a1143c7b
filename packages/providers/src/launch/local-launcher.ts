/** The launcher for this machine: agents are detached processes with spools in `<root>/turns`. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { NotFoundError, TerminalError } from "@reprise/core/errors/errors";
import { endProcesses } from "./ending.ts";
import { followSpool } from "./follow.ts";
import type { Launcher, SpoolId, SpoolState } from "./launcher.ts";
import {
  lives,
  mark,
  markedRows,
  type ProcessRow,
  presence,
  processTable,
  rootMark,
  shimPlace,
} from "./process.ts";
import {
  markCancelled,
  procShim,
  psShim,
  readCancelMark,
  readExit,
  readIdentity,
  readTicket,
  spooledTurns,
  spoolFolder,
  spoolFolders,
  takeTicket,
  turnFolder,
  writeSpool,
  writtenAt,
} from "./spool.ts";

const shim = process.platform === "linux" ? procShim : psShim;

export function localLauncher(root: string): Launcher {
  const hasMarked = (turn: string) => markedRows(turn, ownRoot()).length > 0;

  /** The same for a home that was opened by a link. */
  function ownRoot(): string {
    return existsSync(root) ? realpathSync(root) : root;
  }

  function stateOf(spool: SpoolId): SpoolState {
    const folder = spoolFolder(root, spool);
    if (readExit(folder) !== null) return "ended";
    const ticket = readTicket(folder);
    if (ticket === "withdrawn") return "withdrawn";
    if (ticket === null) return existsSync(folder) ? "unstarted" : "absent";
    if (livesIn(folder, () => hasMarked(spool.turn))) return "running";
    // It may have ended during the check.
    return readExit(folder) === null ? "vanished" : "ended";
  }

  /** Processes of the turn: those that carry its mark, and recorded ones whose environment cannot be read. */
  function processesOf(turn: string): ProcessRow[] {
    const rows = markedRows(turn, ownRoot());
    for (const folder of spoolFolders(root, turn)) {
      for (const identity of [readIdentity(folder, "pid"), readIdentity(folder, "agent")]) {
        if (identity === null || presence(identity) !== "lives") continue;
        if (rows.some(({ pid }) => pid === identity.pid)) continue;
        rows.push(...[processTable.row(identity.pid)].filter((row) => row !== null));
      }
    }
    return rows;
  }

  function shimsOf(folders: readonly string[]): (row: ProcessRow) => boolean {
    const shims = folders.map((folder) => readIdentity(folder, "pid"));
    return ({ pid, start }) => shims.some((shim) => shim?.pid === pid && shim.start === start);
  }

  async function end(turn: string, grace: number): Promise<void> {
    await endProcesses({
      known: () => processesOf(turn),
      shims: () => shimsOf(spoolFolders(root, turn)),
      grace,
    });
  }

  return {
    async prepare(spec) {
      const folder = spoolFolder(root, spec);
      try {
        if (!existsSync(folder)) writeSpool(folder, spec);
      } catch (cause) {
        throw new TerminalError(
          "spool-failed",
          `The spool ${folder} could not be written: ${(cause as Error).message}.`,
          "Free some disk space and check the permissions there, then send the turn again.",
          { cause },
        );
      }
    },

    answersFile: (spool) => join(spoolFolder(root, spool), "answers"),
    schemaFile: (spool) => join(spoolFolder(root, spool), "schema"),

    async start(spool, { argv, env }, folder) {
      const [place, boot] = shimPlace();
      const words = ["-c", shim, "reprise-turn", spoolFolder(root, spool), place, boot, ...argv];
      try {
        const cwd = realpathSync(folder);
        const child = spawn("/bin/sh", words, {
          cwd,
          // opencode takes its work folder from PWD, so an inherited value would be wrong.
          env: { ...env, PWD: cwd, [mark]: spool.turn, [rootMark]: ownRoot() },
          detached: true,
          stdio: "ignore",
        });
        child.unref();
        await once(child, "spawn");
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === "E2BIG")
          throw new TerminalError(
            "values-too-long",
            "The program could not be started, because its arguments and environment together are longer than the system allows (E2BIG).",
            'Pass long values in a file, or to a script through its input "input".',
            { cause },
          );
        throw new TerminalError(
          "launch-failed",
          `The agent could not be started in ${folder}: ${(cause as Error).message}.`,
          "Check that the folder exists and that you may enter it, then send the turn again.",
          { cause },
        );
      }
    },

    state: async (spool) => stateOf(spool),

    preparedAt: async (spool) => writtenAt(spoolFolder(root, spool)),

    async withdraw(spool) {
      const folder = spoolFolder(root, spool);
      requireSpool(folder);
      return takeTicket(folder) || readTicket(folder) === "withdrawn";
    },

    async follow(spool, options) {
      const folder = spoolFolder(root, spool);
      requireSpool(folder);
      return followSpool(
        folder,
        () => {
          const state = stateOf(spool);
          // A shim that was just started may not have taken the ticket yet.
          return state === "running" || (state === "unstarted" && hasMarked(spool.turn));
        },
        options,
      );
    },

    end,

    async cancel(turn, grace, by) {
      markCancelled(root, turn, by);
      await end(turn, grace);
    },

    cancelled: async (turn) => readCancelMark(spoolFolder(root, { turn, attempt: 1 })),

    async survivors(turn) {
      // The shim of an ended attempt has done its work and is about to exit.
      const leaving = shimsOf(
        spoolFolders(root, turn).filter((folder) => readExit(folder) !== null),
      );
      const rows = processesOf(turn).filter((row) => !leaving(row));
      return rows.map(({ pid, command }) => ({ pid, command }));
    },

    spooled: async (beginning) => spooledTurns(root, beginning),

    async remove(turn) {
      const folder = turnFolder(root, turn);
      // Usually there is none, and looking takes a tenth of the time.
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Checks the shim, then the agent, and any process of the turn if one of the two was never recorded. */
function livesIn(folder: string, hasMarked: () => boolean): boolean {
  const shim = readIdentity(folder, "pid");
  if (shim !== null && lives(shim)) return true;
  const agent = readIdentity(folder, "agent");
  return shim === null || agent === null ? hasMarked() : lives(agent);
}

function requireSpool(folder: string): void {
  if (existsSync(folder)) return;
  throw new NotFoundError(
    "spool-missing",
    `There is no spool at ${folder}.`,
    "The turn was never prepared, or its spools were removed; send the turn again.",
  );
}
