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
  const [state, parent, group] = fields;
  const start = fields[19];
  if (state === "Z" || state === "X" || group === undefined || start === undefined) return null;
  const command = read(pid, "cmdline")?.toString().replaceAll("\0", " ").trim();
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    start,
    command: command || stat.slice(stat.indexOf("(") + 1, named),
    ...(state === "T" && { stopped: true }),
  };
}

/** What follows the name of the program, which is in parentheses and may contain spaces and parentheses itself. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/**
 * Linux shows an empty environment while a process executes a program, from the moment its old memory is
 * gone until the new stack is written, and cuts off what is read across that moment. An environment is
 * therefore believed only if it is as long as `stat` says.
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

/** A millisecond apart: executing a program takes much less, unless its file cannot be read. */
const maxLooks = 1000;
const never = new Int32Array(new SharedArrayBuffer(4));

/** `none` without memory of its own: a thread of the kernel, or a process that has ended. */
function environmentSize(pid: number): number | "loading" | "none" {
  const stat = read(pid, "stat")?.toString();
  if (stat === undefined) return "none";
  const fields = fieldsOf(stat);
  const [memory, code, start, end] = [20, 24, 47, 48].map((index) => Number(fields[index]));
  if (!memory) return "none";
  // The end of the code is written last, when the bounds of the environment hold.
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
