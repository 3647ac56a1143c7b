/** Identifies processes: which one this is, whether it is still alive, and which belong to a turn. */

import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import type { ProcessInfo } from "./launcher.ts";
import { procTable } from "./proc-table.ts";
import type { ProcessRow, ProcessTable } from "./process-table.ts";
import { psTable } from "./ps-table.ts";

export const processTable: ProcessTable = process.platform === "linux" ? procTable : psTable;

/** The environment variable that marks every process of a turn, whatever its parent or group. */
export const mark = "REPRISE_TURN";
/** Beside the mark: the folder of the turn's spools. Scripts of two homes have the same mark if their runs do. */
export const rootMark = "REPRISE_SPOOLS";

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

/** `unseen`: on another machine or in another pid namespace, where nothing can be seen from here. */
export type Presence = "lives" | "gone" | "unseen";

export function presence(identity: ProcessIdentity, here: Machine = machine()): Presence {
  const isThere = () =>
    processTable.row(identity.pid)?.start === identity.start ? "lives" : "gone";
  if (identity.machine === undefined) {
    // Written by an earlier version, which identified the machine by its name alone.
    if (identity.host === here.host) return identity.boot === here.boot ? isThere() : "gone";
    // The same machine may have been renamed since.
    return identity.boot === here.boot && isThere() === "lives" ? "lives" : "unseen";
  }
  if (identity.machine !== here.machine) return "unseen";
  if (identity.boot !== here.boot) return "gone";
  return identity.namespace === here.namespace ? isThere() : "unseen";
}

/** Whether both records are of one process. */
export function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return (
    one.pid === other.pid &&
    one.start === other.start &&
    one.boot === other.boot &&
    (one.machine === undefined ? one.host === other.host : one.machine === other.machine) &&
    (one.namespace === undefined || one.namespace === other.namespace)
  );
}

/** Whether it is alive on this machine and stopped, for example by Ctrl-Z. */
export function isStopped(identity: ProcessIdentity): boolean {
  return presence(identity) === "lives" && processTable.row(identity.pid)?.stopped === true;
}

/** A process that cannot be seen from here counts as alive. */
export function lives(identity: ProcessIdentity): boolean {
  return presence(identity) !== "gone";
}

/** Every other live process that carries the turn's mark. */
export function withMark(turn: string): ProcessInfo[] {
  return markedRows(turn).map(({ pid, command }) => ({ pid, command }));
}

/** `root`: only those that were started with spools there. */
export function markedRows(turn: string, root?: string): ProcessRow[] {
  return processTable
    .rowsWith(`${mark}=${turn}`)
    .filter(({ pid }) => pid !== process.pid && (root === undefined || isBelow(pid, root)));
}

/** A process of an earlier version names no folder. If the folder is gone, the home was moved. */
function isBelow(pid: number, root: string): boolean {
  const named = processTable.variable(pid, rootMark);
  return named === null || named === root || !existsSync(named);
}

/** The turn in which a process or its nearest marked ancestor was started; null outside of a turn. */
export function turnAround(pid = process.pid): string | null {
  const seen = new Set<number>();
  let child = pid;
  for (let at = pid; at > 0 && !seen.has(at); ) {
    seen.add(at);
    const turn = processTable.variable(at, mark);
    if (turn) return turn;
    const row = processTable.row(at);
    if (row) [child, at] = [at, row.parent];
    // An ancestor that has just ended: its child now has another parent.
    else at = processTable.row(child)?.parent ?? 0;
  }
  return null;
}

/** The part of the identity that all processes visible from here share. */
export type Machine = Required<Pick<ProcessIdentity, "host" | "boot" | "machine" | "namespace">>;

export function machine(): Machine {
  here ??= {
    host: hostName(),
    boot: processTable.boot(),
    machine: machineId(),
    namespace: pidNamespace(),
  };
  return here;
}
let here: Machine | undefined;

/** The two arguments with which a shim records where it runs. */
export function shimPlace(): [place: string, boot: string] {
  const { host, boot, machine: id, namespace } = machine();
  return [[host, id, namespace].join("\n"), boot];
}

/** The number that Linux gives to the pid namespace of the machine itself. */
const outermost = "pid:[4026531836]";

function pidNamespace(): string {
  if (process.platform === "darwin") return "";
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/**
 * A digest, because the machine id is confidential. Containers of one image may share the file, so in a container the
 * host name is part of the digest: a recreated container is another machine.
 */
function machineId(): string {
  const parts = [readMachineId() ?? hostName()];
  if (process.platform !== "darwin" && pidNamespace() !== outermost) parts.push(hostName());
  return hash("sha256", parts.join("\n"), "hex").slice(0, 24);
}

function readMachineId(): string | null {
  if (process.platform === "darwin") return hostName();
  try {
    return readFileSync("/etc/machine-id", "utf8").trim() || null;
  } catch {
    return null;
  }
}

/** The name of a Mac changes with the network it is in; its platform id does not. */
function hostName(): string {
  if (process.platform !== "darwin") return hostname();
  const args = ["-rd1", "-c", "IOPlatformExpertDevice"];
  const registry = execFileSync("/usr/sbin/ioreg", args, { encoding: "utf8" });
  return /"IOPlatformUUID" = "([^"]+)"/.exec(registry)?.[1] ?? hostname();
}
