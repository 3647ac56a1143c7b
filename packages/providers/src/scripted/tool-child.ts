/** A tool's child process that outlives the agent: it appends its pid to a file until its time is up. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { ScriptStep } from "./script.ts";

export type ToolChild = Extract<ScriptStep, { name: "tool-child" }>["value"];

const program = `
const { appendFileSync } = require("node:fs");
const [, file, seconds, deaf] = process.argv;
if (deaf === "true") process.on("SIGTERM", () => {});
const tick = () => appendFileSync(file, process.pid + "\\n");
tick();
setInterval(tick, 50);
setTimeout(() => process.exit(), seconds * 1000);
`;

/** Returns its pid once it has written its first line. */
export async function startToolChild(options: ToolChild, file: string): Promise<number> {
  const deaf = String(options["ignore-sigterm"] ?? false);
  const child = spawn(
    process.execPath,
    ["-e", program, "--", file, String(options.seconds), deaf],
    { stdio: "ignore", detached: options["own-group"] ?? false },
  );
  const { pid } = child;
  if (pid === undefined) throw new Error("the tool child could not be started");
  while (!existsSync(file) || !readFileSync(file, "utf8").split("\n").includes(String(pid)))
    await pause(5);
  child.unref();
  return pid;
}
