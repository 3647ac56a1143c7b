/** `reprise protect forget`: removes the copy of a session. */

import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";

export async function run(
  cli: Cli,
  id: string,
  { provider }: { readonly provider?: string },
): Promise<number> {
  requireOutsideTurn("remove the copy of a session");
  const found = await cli.withReprise(({ protect }) =>
    protect.forget(id, provider === undefined ? {} : { provider }),
  );
  if (cli.json) cli.document(found);
  else cli.out.line(`Removed the copy of session ${found.id} of ${found.provider}.`);
  return 0;
}
