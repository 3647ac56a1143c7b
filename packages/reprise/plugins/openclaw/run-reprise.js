/** Runs `reprise … --json`, and returns the document that it prints. */

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** Aborting ends the command, which cancels its turn or run. */
export async function runReprise(command, args, { stdin, cwd, signal }) {
  const child = spawn(command, args, { cwd, stdio: "pipe", signal });
  const failed = new Promise((_, reject) =>
    child.once("error", (error) => reject(error.code === "ENOENT" ? notFound(command) : error)),
  );
  // It may refuse its arguments before it reads the prompt.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const [stdout, stderr] = await Promise.race([
    Promise.all([text(child.stdout), text(child.stderr)]),
    failed,
  ]);
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(stderr.trim() || `${command} printed no JSON.`);
  }
}

function notFound(command) {
  return new Error(
    `The program ${command} was not found. Install Reprise, or set "command" in the configuration of this plugin to its path.`,
  );
}
