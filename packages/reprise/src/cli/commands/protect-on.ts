/** `reprise protect on`: keeps the sessions that Reprise did not start, and scans for them at once. */

import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import { findServer } from "../../server/server-record.ts";
import type { Cli } from "../cli.ts";
import { elapsed } from "../format/text.ts";
import { scanAll, scanText } from "../protect-scan.ts";

export async function run(cli: Cli): Promise<number> {
  requireOutsideTurn("turn protect on");
  const { status, report } = await cli.withReprise(async (reprise) => {
    await reprise.protect.set({ on: true });
    const scanned = await scanAll(cli, reprise, {});
    return { status: await reprise.protect.status(), report: scanned };
  });
  if (cli.json) {
    cli.document({ status, report });
    return 0;
  }
  cli.out.line(`Protect is on. ${scanText(report)}`);
  const every = elapsed(status.every);
  const isServed = (await findServer(cli.home)).state === "answers";
  cli.remark(
    isServed
      ? `The server scans again every ${every} (setting protect.every).`
      : `A server scans again every ${every}; none is running. Start one with: reprise up --detach`,
  );
  return 0;
}
