/** The files of the repository: what git tracks, and what it would take in. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export const root = path.join(import.meta.dirname, "..");

/** Paths relative to the root. */
export function repositoryFiles(): string[] {
  const listed = execFileSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return listed.split("\0").filter((file) => file !== "" && existsSync(path.join(root, file)));
}
