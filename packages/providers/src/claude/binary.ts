/** Finds the native claude program, also where the npm package's install script did not run. */

import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { NotFoundError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { findProgram } from "../program.ts";

/** @throws NotFoundError when none of them is there. */
export function findBinary(names: readonly string[], path: string | undefined): string {
  for (const name of names.length > 0 ? names : ["claude"]) {
    const found = findProgram(name, path);
    if (found) return nativeBinary(found);
  }
  throw names.length > 0
    ? new NotFoundError(
        "agent-not-found",
        `There is no program at ${names.map((name) => `"${name}"`).join(" nor at ")}.`,
        "Set binary to the path of claude, or leave it out to use the one on the PATH.",
      )
    : new NotFoundError(
        "agent-not-found",
        "Claude Code is not installed: there is no claude on the PATH.",
        `Install it with "npm install --global @anthropic-ai/claude-code", or name its path with ${verb("agents.set", { name: slot("NAME"), settings: { binary: slot("PATH") } })}. A server looks on the PATH that it was started with.`,
      );
}

/**
 * For the npm package, the program in this platform's package: installed without scripts, the npm package has only a
 * stub. Any other program is used as it is.
 */
export function nativeBinary(program: string): string {
  const real = realpathSync(program);
  if (!/@anthropic-ai\/claude-code\/(bin\/claude\.exe|cli-wrapper\.cjs)$/.test(real)) return real;
  const system = `${process.platform}-${process.arch}`;
  const natives = [system, `${system}-musl`].map((name) => nativeOf(real, name));
  return natives.find((native) => native !== undefined) ?? real;
}

function nativeOf(launcher: string, system: string): string | undefined {
  try {
    const require = createRequire(launcher);
    const manifest = require.resolve(`@anthropic-ai/claude-code-${system}/package.json`);
    const native = join(dirname(manifest), "claude");
    return existsSync(native) ? native : undefined;
  } catch {
    return undefined;
  }
}
