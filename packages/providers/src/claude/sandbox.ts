/** Whether claude can run commands in its sandbox here: its own on macOS, bubblewrap and socat on Linux. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "../program.ts";
import type { ProviderAgent } from "../provider.ts";

/** A container may forbid namespaces, so an installed program is not enough. */
const trial = ["--unshare-net", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"];

/** By the program's path. The result does not change while this process runs. */
const tried = new Map<string, Promise<boolean>>();

export async function hasSandbox({ settings, env }: ProviderAgent): Promise<boolean> {
  if (settings.sandbox === "off") return false;
  if (process.platform === "darwin") return true;
  const bwrap = findProgram("bwrap", env.PATH);
  if (bwrap === undefined || findProgram("socat", env.PATH) === undefined) return false;
  const known = tried.get(bwrap) ?? works(bwrap);
  tried.set(bwrap, known);
  return known;
}

function works(bwrap: string): Promise<boolean> {
  return promisify(execFile)(bwrap, trial, { timeout: 5000 }).then(
    () => true,
    () => false,
  );
}
