/** Leaves a home as a restart of the machine would: no process lives, and every recorded process is of another boot. */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { processTable } from "@reprise/providers/launch/process";
import { readIdentity } from "@reprise/providers/launch/spool";
import { tamper } from "./database.ts";

const earlier = "an-earlier-boot";

/** All that Reprise has started, which works in the folder. */
export async function endProcesses(folder: string): Promise<void> {
  for (;;) {
    const rows = rowsIn(folder);
    if (rows.length === 0) return;
    for (const { pid } of rows) end(pid);
    await setTimeout(5);
  }
}

export function isAtWork(folder: string): boolean {
  return rowsIn(folder).length > 0;
}

function rowsIn(folder: string) {
  return processTable.rowsWith(`PWD=${folder}`);
}

export async function reboot(folder: string): Promise<void> {
  await endProcesses(folder);
  tamper(
    folder,
    `UPDATE run SET owner = json_set(owner, '$.boot', '${earlier}') WHERE owner IS NOT NULL`,
    `UPDATE turn SET owner = json_set(owner, '$.boot', '${earlier}') WHERE owner IS NOT NULL`,
    `UPDATE attempt SET launch = json_set(launch, '$.boot', '${earlier}') WHERE launch IS NOT NULL`,
    `UPDATE event SET data = json_set(data, '$.boot', '${earlier}')
     WHERE json_extract(data, '$.boot') IS NOT NULL`,
    `UPDATE boot SET id = '${earlier}'`,
  );
  const records = globSync("home/turns/*/*/{pid,agent}", { cwd: folder });
  for (const record of records.map((name) => join(folder, name))) {
    // One that is not whole names no process, and must not become whole here.
    if (readIdentity(dirname(record), basename(record) as "pid" | "agent") === null) continue;
    const [pid, start, , host] = readFileSync(record, "utf8").split("\n");
    writeFileSync(record, [pid, start, earlier, host, ""].join("\n"));
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
