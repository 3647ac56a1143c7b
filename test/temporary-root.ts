/**
 * The folder below which one run of the tests keeps everything temporary. It goes when the run ends, also
 * after a crash of a test; what a killed run left goes when the next one begins.
 */

import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const prefix = "reprise-tests-";

/** Makes the folder and sets TMPDIR, which every worker and program of the run inherits. */
export function useTemporaryRoot(): void {
  const current = tmpdir();
  // Vitest may load its configuration more than once.
  if (basename(current).startsWith(`${prefix}${process.pid}-`)) return;
  removeAbandoned(current);
  const root = openFolder(join(current, `${prefix}${process.pid}-`));
  process.env.TMPDIR = root;
  process.on("exit", () => removeTree(root));
}

/** Other users may pass through it: some tests run commands as one of them. */
export function openFolder(start: string): string {
  const folder = realpathSync(mkdtempSync(start));
  chmodSync(folder, 0o711);
  return folder;
}

/** Removes the folder, and first unmounts every file system below it. */
export function removeTree(folder: string): void {
  for (const point of mountsBelow(folder))
    execFileSync("/bin/umount", ["--lazy", point], { stdio: "pipe" });
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}

/** Inner ones first. */
function mountsBelow(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => (line.split(" ")[1] ?? "").replaceAll("\\040", " "))
    .filter((point) => point.startsWith(`${folder}/`))
    .reverse();
}

function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(prefix) && Number.parseInt(name.slice(prefix.length), 10);
    if (pid && !isAlive(pid)) removeTree(join(folder, name));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
