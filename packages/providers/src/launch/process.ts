/** Tells processes apart: which one this is, whether it still lives, and which belong to a turn. */

import { execFileSync } from "node:child_process";
import { hostname } from "node:os";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import type { ProcessInfo } from "./launcher.ts";
import { procTable } from "./proc-table.ts";
import type { ProcessRow, ProcessTable } from "./process-table.ts";
import { psTable } from "./ps-table.ts";

export const processTable: ProcessTable = process.platform === "linux" ? procTable : psTable;

/** The variable by which every process of a turn is known, wherever it moved. */
export const mark = "REPRISE_TURN";

/** Null when there is no such process, or only its zombie. */
export function identify(pid: number): ProcessIdentity | null {
  const row = processTable.row(pid);
  return row && { ...machine(), pid, start: row.start };
}

export function self(): ProcessIdentity {
  me ??= identify(process.pid)!;
  return me;
}
let me: ProcessIdentity | undefined;

/** What another host's processes do can not be seen from here, so they count as alive. */
export function lives(identity: ProcessIdentity): boolean {
  const { host, boot } = machine();
  if (identity.host !== host) return true;
  return identity.boot === boot && processTable.row(identity.pid)?.start === identity.start;
}

/** Every other live process that carries the turn's mark. */
export function withMark(turn: string): ProcessInfo[] {
  return markedRows(turn).map(({ pid, command }) => ({ pid, command }));
}

export function markedRows(turn: string): ProcessRow[] {
  return processTable.rowsWith(`${mark}=${turn}`).filter(({ pid }) => pid !== process.pid);
}

/** The turn that a process, or the nearest of its ancestors, was started in; null outside of every turn. */
export function turnAround(pid = process.pid): string | null {
  const seen = new Set<number>();
  for (let at = pid; at > 0 && !seen.has(at); at = processTable.row(at)?.parent ?? 0) {
    seen.add(at);
    const turn = processTable.variable(at, mark);
    if (turn) return turn;
  }
  return null;
}

/** Host and boot, the same for every process that can be seen from here. */
export function machine(): Pick<ProcessIdentity, "host" | "boot"> {
  here ??= { host: hostName(), boot: processTable.boot() };
  return here;
}
let here: Pick<ProcessIdentity, "host" | "boot"> | undefined;

/** The name of a Mac changes with the network it is in; its platform id does not. */
function hostName(): string {
  if (process.platform !== "darwin") return hostname();
  const args = ["-rd1", "-c", "IOPlatformExpertDevice"];
  const registry = execFileSync("/usr/sbin/ioreg", args, { encoding: "utf8" });
  return /"IOPlatformUUID" = "([^"]+)"/.exec(registry)?.[1] ?? hostname();
}
