/** `reprise restore`: puts the sessions of a backup into the home. */

import type { Cli } from "../cli.ts";
import { amount } from "../format/amount.ts";

export async function run(
  cli: Cli,
  file: string,
  { force = false }: { readonly force?: boolean },
): Promise<number> {
  const { restore } = await import("@reprise/engine/backup/restore");
  const { home, cwd, now } = cli;
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
