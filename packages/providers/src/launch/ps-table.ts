/** The process table of systems without /proc (macOS), read with `ps` and `sysctl`. */

import { execFileSync } from "node:child_process";
import type { ProcessRow, ProcessTable } from "./process.ts";

const columns = ["-o", "pid=,ppid=,pgid=,stat=,lstart=,command="];
const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s(.*)$/;

export const psTable: ProcessTable = {
  // `kern.boottime` changes with every correction of the clock; this one does not.
  boot: () => run("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]).trim(),
  row: (pid) => parse(ps(["-ww", "-p", String(pid), ...columns]))[0] ?? null,
  rows: () => parse(ps(["axww", ...columns])),
  variable(pid, name) {
    // A value with blanks cannot be distinguished from the next variable; ours have none.
    const found = environment(pid).find((word) => word.startsWith(`${name}=`));
    return found?.slice(name.length + 1) ?? null;
  },
  rowsWith(assignment) {
    const environments = new Map<number, string>();
    for (const text of ps(["axeww", "-o", "pid=,command="]).split("\n")) {
      const [, pid, words] = /^\s*(\d+) (.*)$/.exec(text) ?? [];
      if (pid !== undefined && words !== undefined) environments.set(Number(pid), words);
    }
    return psTable.rows().filter(({ pid, command }) => {
      const words = environments.get(pid);
      if (words === undefined) return false;
      return (behind(command, words) ?? environment(pid)).includes(assignment);
    });
  },
};

/** Repeats the two reads when the process executed another program between them. */
function environment(pid: number): string[] {
  for (let look = 1; look <= 5; look += 1) {
    const command = psTable.row(pid)?.command;
    if (command === undefined) return [];
    const found = behind(command, ps(["eww", "-p", String(pid), "-o", "command="]).trimEnd());
    if (found !== null) return found;
  }
  return [];
}

/** `ps e` appends the environment to the command; null when `words` belong to another command. */
function behind(command: string, words: string): string[] | null {
  return words.startsWith(command) ? words.slice(command.length).split(" ") : null;
}

function parse(output: string): ProcessRow[] {
  return output.split("\n").flatMap((text) => {
    const [, pid, parent, group, stat, start, command] = line.exec(text) ?? [];
    if (stat === undefined || start === undefined || command === undefined) return [];
    if (stat.startsWith("Z") || stat.startsWith("X")) return [];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    const stopped = stat.startsWith("T") && ({ stopped: true } as const);
    return { ...numbers, start: oneSpaced(start), command, ...stopped };
  });
}

/** `ps` exits with 1 when it finds no process; its dates depend on language and time zone. */
function ps(args: string[]): string {
  try {
    return run("/bin/ps", args, { LC_ALL: "C", TZ: "UTC" });
  } catch (error) {
    if ((error as { status?: number }).status === 1) return "";
    throw error;
  }
}

function run(program: string, args: string[], env: Record<string, string> = {}): string {
  return execFileSync(program, args, {
    encoding: "utf8",
    env,
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** `ps` pads days of one digit. */
function oneSpaced(start: string): string {
  return start.trim().replace(/\s+/g, " ");
}
