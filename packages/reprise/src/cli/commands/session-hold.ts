/** `reprise session hold`: keeps a session from being archived, pruned or reset. */

import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { holders } from "../format/holds.ts";

export async function run(
  cli: Cli,
  argument: string,
  { by, reason }: { readonly by?: string; readonly reason?: string },
): Promise<number> {
  const key = sessionKey(argument);
  const hold = { key, ...(by && { by }), ...(reason && { reason }) };
  const session = await cli.withReprise(({ sessions }) => sessions.hold(hold));
  if (cli.json) cli.document(session);
  else cli.out.line(`Session ${key} is held by ${holders(session)}.`);
  return 0;
}
