/** An empty folder into which the packed package is installed, with no network. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Installed {
  /** To be removed after the tests; `project` and `home` are in it. */
  readonly folder: string;
  /** The project that has the package in its node_modules. */
  readonly project: string;
  /** The home folder of the user. */
  readonly home: string;
}

export function install(tarball: string): Installed {
  const folder = mkdtempSync(join(tmpdir(), "reprise-package-"));
  const project = join(folder, "installed");
  const home = join(folder, "home");
  mkdirSync(project);
  mkdirSync(home);
  execFileSync("npm", ["install", "--offline", tarball], { cwd: project, stdio: "pipe" });
  return { folder, project, home };
}
