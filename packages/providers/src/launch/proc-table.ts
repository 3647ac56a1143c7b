/** The process table of Linux, read from /proc without starting anything. */

import { readdirSync, readFileSync } from "node:fs";
import type { ProcessRow, ProcessTable } from "./process-table.ts";

export const procTable: ProcessTable = {
  boot: () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
  row,
  rows: () => pids().flatMap((pid) => row(pid) ?? []),
  variable: (pid, name) =>
    read(pid, "environ")
      ?.toString()
      .split("\0")
      .find((each) => each.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? null,
  rowsWith: (assignment) =>
    pids().flatMap((pid) => (holds(read(pid, "environ"), assignment) ? (row(pid) ?? []) : [])),
};

function pids(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function row(pid: number): ProcessRow | null {
  const stat = read(pid, "stat")?.toString();
  if (stat === undefined) return null;
  // The name of the program stands in parentheses and may hold spaces and parentheses itself.
  const named = stat.lastIndexOf(")");
  const fields = stat.slice(named + 2).split(" ");
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

/** A process may end, or belong to somebody else, at any moment. */
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
