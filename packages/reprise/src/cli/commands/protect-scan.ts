/** `reprise protect scan`: keeps what is new or has changed since the last scan. */

import type { Cli } from "../cli.ts";
import { scanAll, scanText } from "../protect-scan.ts";

export async function run(cli: Cli, { agent }: { readonly agent?: string }): Promise<number> {
  const report = await cli.withReprise((reprise) => scanAll(cli, reprise, { agent }));
  if (cli.json) cli.document(report);
  else cli.out.line(scanText(report));
  for (const { path, problem } of report.unread) cli.remark(`${path} was not read: ${problem}`);
  return 0;
}
