/** `reprise token revoke`: revokes a token. */

import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";

export async function run(cli: Cli, name: string): Promise<number> {
  requireOutsideTurn("revoke a token");
  const revoked = await cli.withReprise(({ tokens }) => tokens.revoke(name));
  if (cli.json) cli.document(revoked);
  else cli.out.line(`The token of ${revoked.name} is revoked.`);
  return 0;
}
