/** What the scripted agent does on the machine, and what its access denies. */

import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { type Access, isAllowedCommand } from "@reprise/core/session/access";
import type { Deed } from "./answer.ts";

export interface ScriptedAccess {
  readonly level: Access;
  readonly allowedCommands: readonly string[];
  /** May be neither read nor written, except with access `full`. */
  readonly hidden: readonly string[];
}

/** The result, for the answer; null when it was denied and not done. */
export function perform({ tool, target }: Deed, access: ScriptedAccess): string | null {
  if (tool === "command") {
    const isAllowed =
      access.level === "full" ||
      (access.level === "edit" && isAllowedCommand(target, access.allowedCommands));
    return isAllowed ? `The command said: ${output(target)}` : null;
  }
  const path = realPath(resolve(target));
  if (access.level !== "full" && access.hidden.some((each) => isIn(path, each))) return null;
  if (tool === "read") return `The file says: ${read(path)}`;
  const isAllowed =
    access.level === "full" || (access.level === "edit" && isIn(path, realPath(process.cwd())));
  if (!isAllowed) return null;
  writeFileSync(path, "written by the scripted agent\n");
  return `I have written ${target}`;
}

function output(command: string): string {
  try {
    return execFileSync("sh", ["-c", command], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch (error) {
    return String((error as { stderr?: string }).stderr ?? error).trim();
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    return (error as Error).message;
  }
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Follows links; for a file that does not exist, those in its folder's path. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
