/** Builds the page and unpacks the browser once, for every test that looks at it. */

import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { buildPage } from "../../packages/web/build.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { unpackChromium } from "./chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the built page. */
    readonly page: string;
    /** The program of the browser, or null for the machine's own Chrome. */
    readonly chromium: string | null;
  }
}

/** @public Vitest calls it before the first of these tests. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = temporaryFolder("page");
  await buildPage(folder);
  project.provide("page", folder);
  project.provide("chromium", await unpackChromium());
  return () => rmSync(folder, { recursive: true });
}
