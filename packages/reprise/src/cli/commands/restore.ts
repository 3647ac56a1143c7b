/** `reprise restore`: puts the sessions of a backup into the home. */

import { BusyError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";
import { amount } from "../format/amount.ts";

export async function run(
  cli: Cli,
  file: string,
  { force = false }: { readonly force?: boolean },
): Promise<number> {
  const { restore } = await import("@reprise/engine/backup/restore");
  const { home, cwd, now } = cli;
  const { findServer } = await import("../../server/server-record.ts");
  const server = await findServer(home);
  if (server.state === "answers" || server.state === "silent") throw inUse(home, server.record.url);
  const report = await restore({ home, file, force, cwd, now });
  if (cli.json) {
    cli.document(report);
    return 0;
  }
  const { sessions, turns, interrupted, keptAside } = report;
  const asOf = new Date(report.madeAt).toISOString();
  cli.out.line(
    `Restored ${amount(sessions, "session")} with ${amount(turns, "turn")}, as of ${asOf}, into ${report.home}.`,
  );
  if (interrupted > 0)
    cli.remark(
      `${amount(interrupted, "turn")} that ${interrupted === 1 ? "was" : "were"} open then: interrupted, not run again.`,
    );
  if (keptAside) cli.remark(`What was there before is kept in ${keptAside}.`);
  cli.remark("Next: reprise sessions verify");
  return 0;
}

function inUse(home: string, url: string): BusyError {
  return new BusyError(
    "served",
    `The home ${home} is served at ${url}; what it works on would be replaced under its hands.`,
    'Stop the server with "reprise down", restore, and start it again.',
  );
}
