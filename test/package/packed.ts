/** Packs the package once, for every test that installs it. */

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { root } from "../../scripts/files.ts";
import { temporaryFolder } from "../temporary-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The tarball that `npm pack` wrote. */
    readonly tarball: string;
  }
}

/** @public Vitest calls it before the first of these tests. */
export default function setup(project: TestProject): () => void {
  const folder = temporaryFolder("packed");
  const program = join(root, "packages/reprise");
  const { version } = JSON.parse(readFileSync(join(program, "package.json"), "utf8"));
  execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: program, stdio: "pipe" });
  project.provide("tarball", join(folder, `reprise-${version}.tgz`));
  return () => rmSync(folder, { recursive: true });
}
