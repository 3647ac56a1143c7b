/** `reprise backup`: writes everything that is needed to continue the sessions to one file. */

import { resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { amount } from "../format/text.ts";

export async function run(cli: Cli, file: string): Promise<number> {
  cli.requireOwnDatabase("backup", "Use pg_dump, and keep a copy of the home's folder.");
  const report = await cli.withHome(({ reprise }) => reprise.backup(resolve(cli.cwd, file)));
  if (cli.json) cli.document(report);
  else {
    const { sessions, turns } = report;
    cli.out.line(
      `Wrote ${amount(sessions, "session")} with ${amount(turns, "turn")} into ${report.file}.`,
    );
    cli.remark("It contains your conversations: keep it safe.");
  }
  return 0;
}
