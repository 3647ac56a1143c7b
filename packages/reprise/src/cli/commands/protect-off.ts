/** `reprise protect off`: stops the regular scans and removes the hooks; copies stay. */

import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";
import { hooksToRemove, writeHooks } from "../protect-hooks.ts";

export async function run(cli: Cli): Promise<number> {
  requireOutsideTurn("turn protect off");
  const status = await cli.withReprise((reprise) => reprise.protect.set({ on: false }));
  const removing = await hooksToRemove(cli);
  await writeHooks(removing);
  const files = removing.map(({ file }) => file);
  if (cli.json) cli.document({ status, hooks: files });
  else {
    cli.out.line("Protect is off. What is kept stays: reprise protect status");
    for (const file of files) cli.out.line(`Removed its hooks from ${file}.`);
  }
  return 0;
}
