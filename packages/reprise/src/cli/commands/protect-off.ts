/** `reprise protect off`: stops the regular scans; copies stay. */

import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";

export async function run(cli: Cli): Promise<number> {
  requireOutsideTurn("turn protect off");
  const status = await cli.withReprise((reprise) => reprise.protect.set({ on: false }));
  if (cli.json) cli.document(status);
  else cli.out.line("Protect is off. What is kept stays: reprise protect status");
  return 0;
}
