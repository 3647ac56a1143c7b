/** Identifies processes: which one this is, whether it is still alive, and which belong to a turn. */

import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import type { ProcessInfo } from "./launcher.ts";
import { psTable } from "./ps-table.ts";

// The contract of the system's process table: which processes are alive, since when, and in which group.

/** A live process; zombies are never listed. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The pid of the process that began its session; missing where the system does not say. */
  readonly session?: number;
  /** Start time in the system's own unit; together with the pid it identifies a process within one boot. */
  readonly start: string;
  readonly command: string;
  /** Stopped by a signal, such as Ctrl-Z, until it is continued. */
  readonly stopped?: true;
}

export interface ProcessTable {
  /** Changes with every boot of the machine. */
  boot(): string;
  row(pid: number): ProcessRow | null;
  rows(): ProcessRow[];
  /** The value of a variable in a process's initial environment; null when it is not set or cannot be read. */
  variable(pid: number, name: string): string | null;
  /** Processes whose environment can be read and contains exactly this assignment. */
  rowsWith(assignment: string): ProcessRow[];
}

// The process table of Linux, read from /proc without starting anything.

const procTable: ProcessTable = {
  boot: () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
  row,
  rows: () => pids().flatMap((pid) => row(pid) ?? []),
  variable: (pid, name) =>
    environment(pid)
      ?.toString()
      .split("\0")
      .find((each) => each.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? null,
  rowsWith: (assignment) =>
    pids().flatMap((pid) => (holds(environment(pid), assignment) ? (row(pid) ?? []) : [])),
};

function pids(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function row(pid: number): ProcessRow | null {
  const stat = read(pid, "stat")?.toString();
  if (stat === undefined) return null;
  const named = stat.lastIndexOf(")");
  const fields = fieldsOf(stat);
  const [state, parent, group, session] = fields;
  const start = fields[19];
  if (state === "Z" || state === "X" || group === undefined || start === undefined) return null;
  const command = read(pid, "cmdline")?.toString().replaceAll("\0", " ").trim();
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start,
    command: command || stat.slice(stat.indexOf("(") + 1, named),
    ...(state === "T" && { stopped: true }),
  };
}

/** The fields after the program's name, which is in parentheses and may contain spaces and parentheses itself. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/**
 * During an exec Linux shows an empty environment, from when the old memory is released until the new stack is
 * written, and truncates a read that spans it. So an environment counts only if it is as long as `stat` says.
 */
function environment(pid: number): Buffer | undefined {
  for (let look = 1; ; look += 1) {
    const bytes = read(pid, "environ");
    if (bytes === undefined || look === maxLooks) return bytes;
    const size = environmentSize(pid);
    if (size === bytes.length || size === "none" || !showsSizes()) return bytes;
    Atomics.wait(never, 0, 0, 1);
  }
}

/** A millisecond apart: an exec takes much less, unless the program's file cannot be read. */
const maxLooks = 1000;
const never = new Int32Array(new SharedArrayBuffer(4));

/** `none` for a process without memory of its own: a kernel thread, or one that has ended. */
function environmentSize(pid: number): number | "loading" | "none" {
  const stat = read(pid, "stat")?.toString();
  if (stat === undefined) return "none";
  const fields = fieldsOf(stat);
  const [memory, code, start, end] = [20, 24, 47, 48].map((index) => Number(fields[index]));
  if (!memory) return "none";
  // The kernel sets the end of the code last, after the bounds of the environment.
  return code && start && end ? end - start : "loading";
}

/** Some sandboxes that run Linux programs show no addresses in `stat`. */
function showsSizes(): boolean {
  sized ??= typeof environmentSize(process.pid) === "number";
  return sized;
}
let sized: boolean | undefined;

/** A process may end, or belong to another user, at any moment. */
function read(pid: number, file: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch {
    return undefined;
  }
}

function holds(environment: Buffer | undefined, assignment: string): boolean {
  return environment !== undefined && `\0${environment.toString()}`.includes(`\0${assignment}\0`);
}

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
type Machine = Required<Pick<ProcessIdentity, "host" | "boot" | "machine" | "namespace">>;

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
