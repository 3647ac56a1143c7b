/** `reprise token revoke`: revokes a token. */

import { actor } from "@reprise/engine/actor";
import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import { revokeToken } from "../../server/tokens.ts";
import type { Cli } from "../cli.ts";

export async function run(cli: Cli, name: string): Promise<number> {
  requireOutsideTurn("revoke a token");
  const revoked = await cli.withHome(({ engine }) =>
    revokeToken(engine.store, { name, by: actor(engine, null), at: cli.now() }),
  );
  if (cli.json) cli.document(revoked);
  else cli.out.line(`The token of ${revoked.name} is revoked.`);
  return 0;
}
