/** Builds the page once, for every test that looks at it. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildPage } from "../../packages/web/build.ts";
import { root } from "../../scripts/files.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the built page. */
    readonly page: string;
  }
}

/** @public Vitest calls it before the first of these tests. */
export default async function setup(project: TestProject): Promise<() => void> {
  const cache = join(root, ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "page-"));
  await buildPage(folder);
  project.provide("page", folder);
  return () => rmSync(folder, { recursive: true });
}
