/** Finds the native codex program, which the npm package's Node launcher would only start. */

import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { NotFoundError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { findProgram } from "../program.ts";

const targets: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

/** @throws NotFoundError when there is none. */
export function findBinary(setting: string | undefined, path: string | undefined): string {
  const found = findProgram(setting ?? "codex", path);
  if (found) return nativeBinary(found);
  throw setting
    ? new NotFoundError(
        "no-program",
        `There is no program at "${setting}".`,
        "Set binary to the path of codex, or leave it out to use the one on the PATH.",
      )
    : new NotFoundError(
        "no-program",
        "Codex is not installed: there is no codex on the PATH.",
        `Install it with "npm install --global @openai/codex", or name its path with ${verb("agents.set", { name: slot("NAME"), settings: { binary: slot("PATH") } })}. A server looks on the PATH that it was started with.`,
      );
}

/**
 * The program that the launcher would start; any other program is used as it is. Under Node 20 the launcher stays as a
 * parent, and when it is killed the native program finishes the turn as an orphan.
 */
export function nativeBinary(program: string): string {
  const real = realpathSync(program);
  if (!real.endsWith("/bin/codex.js")) return real;
  const system = `${process.platform}-${process.arch}`;
  const target = targets[system];
  if (!target) return real;
  const native = join(vendorFolder(real, system), target, "bin", "codex");
  return existsSync(native) ? native : real;
}

function vendorFolder(launcher: string, system: string): string {
  try {
    const manifest = createRequire(launcher).resolve(`@openai/codex-${system}/package.json`);
    return join(dirname(manifest), "vendor");
  } catch {
    return join(dirname(launcher), "..", "vendor");
  }
}
