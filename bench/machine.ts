/** On what a bench ran: enough to judge its figures, nothing that names one machine. */

import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

export function machine(): string {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const load = os.loadavg()[0]!.toFixed(1);
  return `${os.type()} ${os.arch()}, ${cpus[0]?.model.trim()}, ${cpus.length} cores, ${memory} GiB; load average at the start ${load}`;
}

export function versions(): string {
  const manifest = path.join(import.meta.dirname, "../packages/reprise/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  return `Reprise ${version}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}`;
}
