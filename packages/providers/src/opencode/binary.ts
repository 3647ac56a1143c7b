/** Finds the opencode program. */

import { existsSync, realpathSync } from "node:fs";
import { arch, platform } from "node:os";
import { basename, dirname, join } from "node:path";
import { NotFoundError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { findProgram } from "../program.ts";

/** @throws NotFoundError when there is none. */
export function findBinary(setting: string | undefined, path: string | undefined): string {
  const found = findProgram(setting ?? "opencode", path);
  if (found) return nativeBinary(realpathSync(found));
  throw setting
    ? new NotFoundError(
        "no-program",
        `There is no program at "${setting}".`,
        "Set binary to the path of opencode, or leave it out to use the one on the PATH.",
      )
    : new NotFoundError(
        "no-program",
        "OpenCode is not installed: there is no opencode on the PATH.",
        `Install it with "npm install --global opencode-ai", or name its path with ${verb("agents.set", { name: slot("NAME"), settings: { binary: slot("PATH") } })}. A server looks on the PATH that it was started with.`,
      );
}

/** The native program behind the npm package's launcher, which only runs once its install script has; else the same. */
export function nativeBinary(binary: string): string {
  const folder = dirname(binary);
  if (basename(folder) !== "bin" || basename(dirname(folder)) !== "opencode-ai") return binary;
  const name = nativePackage();
  const native = [join(folder, "../.."), join(folder, "../node_modules")]
    .map((modules) => join(modules, name, "bin/opencode"))
    .find((file) => existsSync(file));
  return native ?? binary;
}

/** The npm package that has the program for this system. */
export function nativePackage(): string {
  return `opencode-${platform()}-${arch()}`;
}
