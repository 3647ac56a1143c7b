/** What a start would do, asked of the home; nothing is left of asking, not even a home. */

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunPlan, StartRun } from "@reprise/core/api/reprise";
import { databaseIn } from "@reprise/engine/home";
import { type Cli, createCli } from "./cli.ts";

export function hasHome({ home }: Pick<Cli, "home">): boolean {
  return existsSync(databaseIn(home));
}

/** A home that is not there yet is as an empty one, so an empty one is asked, which goes away again. */
export async function planRun(cli: Cli, start: StartRun): Promise<RunPlan> {
  if (hasHome(cli)) return cli.withReprise((reprise) => reprise.runs.plan(start));
  const home = await mkdtemp(join(tmpdir(), "reprise-plan-"));
  try {
    return await createCli(cli, { home }).withHome(({ reprise }) => reprise.runs.plan(start));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
