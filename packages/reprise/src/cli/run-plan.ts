/** Plans a run in the home, without leaving anything behind, not even a home. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunPlan, StartRun } from "@reprise/core/api/reprise";
import { hasStore } from "@reprise/engine/home";
import { type Cli, createCli } from "./cli.ts";

export function hasHome({ home }: Pick<Cli, "home">): boolean {
  return hasStore(home);
}

/** If the home does not exist yet, the run is planned in an empty temporary one. */
export async function planRun(cli: Cli, start: StartRun): Promise<RunPlan> {
  if (hasHome(cli)) return cli.withReprise((reprise) => reprise.runs.plan(start));
  const home = await mkdtemp(join(tmpdir(), "reprise-plan-"));
  try {
    return await createCli(cli, { home }).withHome(({ reprise }) => reprise.runs.plan(start));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
