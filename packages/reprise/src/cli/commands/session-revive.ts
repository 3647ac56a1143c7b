/** `reprise session revive`: makes an archived session usable again. */

import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";

export async function run(cli: Cli, argument: string): Promise<number> {
  const key = sessionKey(argument);
  const session = await cli.withReprise(({ sessions }) => sessions.revive(key));
  if (cli.json) cli.document(session);
  else cli.out.line(`Revived session ${key}.`);
  return 0;
}
