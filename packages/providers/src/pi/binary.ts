/** Finds the pi program. */

import { realpathSync } from "node:fs";
import { NotFoundError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { findProgram } from "../program.ts";

/** @throws NotFoundError when there is none. */
export function findBinary(setting: string | undefined, path: string | undefined): string {
  const found = findProgram(setting ?? "pi", path);
  if (found) return realpathSync(found);
  throw setting
    ? new NotFoundError(
        "no-program",
        `There is no program at "${setting}".`,
        "Set binary to the path of pi, or leave it out to use the one on the PATH.",
      )
    : new NotFoundError(
        "no-program",
        "pi is not installed: there is no pi on the PATH.",
        `Install it with "npm install --global @earendil-works/pi-coding-agent", or name its path with ${verb("agents.set", { name: slot("NAME"), settings: { binary: slot("PATH") } })}. A server looks on the PATH that it was started with.`,
      );
}
