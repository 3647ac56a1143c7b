/** Starts a run on the home's server, which is started if none is running. */

import type { Reprise, StartRun } from "@reprise/core/api/reprise";
import { BusyError } from "@reprise/core/errors/errors";
import { isShared } from "@reprise/engine/home";
import { alreadyServed } from "../server/already-served.ts";
import { findServer } from "../server/server-record.ts";
import { startInBackground } from "./background.ts";
import type { Cli } from "./cli.ts";
import { connectTo } from "./reach.ts";
import { planRun } from "./run-plan.ts";
import type { RunStart } from "./run-start.ts";
import { newWarnings, printWarnings } from "./run-warnings.ts";

export async function runDetached(cli: Cli, { start, warnings }: RunStart): Promise<number> {
  const reprise = await serverFor(cli, start);
  try {
    const printed = cli.json ? [] : await newWarnings(reprise, start, warnings);
    // The server drives the run from the moment it is stored.
    const run = await reprise.runs.start(start, { leave: AbortSignal.abort() });
    if (cli.json) cli.document(run);
    else cli.out.line(run.id);
    printWarnings(cli, run.path, printed);
    cli.remark(`Follow it with: reprise logs ${run.id} -f`);
    return 0;
  } finally {
    await reprise.close();
  }
}

/** Does not start a server for a run that it would refuse. */
async function serverFor(cli: Cli, start: StartRun): Promise<Reprise> {
  const found = await findServer(cli.home);
  if (found.state === "answers") return connectTo(cli, found.record);
  if (found.state === "silent") throw alreadyServed(cli.home, found);
  // Without a server there is nothing that could plan a run in a home on PostgreSQL.
  if (!isShared(cli.home)) await planRun(cli, start);
  try {
    const record = await startInBackground(cli, []);
    cli.remark(`Started the server at ${record.url}; stop it with: reprise down`);
    return connectTo(cli, record);
  } catch (error) {
    // Another process has started a server at the same time.
    if (error instanceof BusyError) return serverFor(cli, start);
    throw error;
  }
}
