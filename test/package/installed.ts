/** An empty folder into which the packed package is installed, with no network. */

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";

export interface Installed {
  /** To be removed after the tests; `project` and `home` are in it. */
  readonly folder: string;
  /** The project that has the package in its node_modules. */
  readonly project: string;
  /** The home folder of the user. */
  readonly home: string;
}

export function install(tarball: string): Installed {
  const folder = temporaryFolder("package");
  const project = join(folder, "installed");
  const home = join(folder, "home");
  mkdirSync(project);
  mkdirSync(home);
  execFileSync("npm", ["install", "--offline", tarball], { cwd: project, stdio: "pipe" });
  return { folder, project, home };
}
