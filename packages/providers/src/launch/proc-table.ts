/** The process table of Linux, read from /proc without starting anything. */

import { readdirSync, readFileSync } from "node:fs";
import type { ProcessRow, ProcessTable } from "./process-table.ts";

export const procTable: ProcessTable = {
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
