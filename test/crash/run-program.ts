/** Runs the program of the crash tests as a process of its own. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./program.ts", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Names of the calls that Reprise made, when it came to its end. */
  readonly calls: readonly string[];
  readonly stderr: string;
}

/** `point`: where it kills itself. `killAfter`: milliseconds after which it is killed from outside. */
export function runProgram(folder: string, point = "none", killAfter?: number): Promise<Ended> {
  const child = spawn(process.execPath, [program, folder, point], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => {
    stdout += data;
  });
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const timer =
    killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, calls: stdout === "" ? [] : JSON.parse(stdout), stderr });
    });
  });
}
