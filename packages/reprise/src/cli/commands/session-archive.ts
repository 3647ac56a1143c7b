/** `reprise session archive`: archives a session. */

import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";

export async function run(cli: Cli, argument: string): Promise<number> {
  const key = sessionKey(argument);
  const session = await cli.withReprise(({ sessions }) => sessions.archive(key));
  if (cli.json) cli.document(session);
  else cli.out.line(`Archived session ${key}. Turns are refused until it is revived.`);
  return 0;
}
