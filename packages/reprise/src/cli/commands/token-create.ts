/** `reprise token create`: creates a token, which is shown once. */

import { actor } from "@reprise/engine/actor";
import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import { createToken } from "../../server/tokens.ts";
import type { Cli } from "../cli.ts";
import { printToken } from "../format/token.ts";

export async function run(
  cli: Cli,
  name: string,
  { role, expires }: { readonly role: string; readonly expires?: number },
): Promise<number> {
  requireOutsideTurn("create a token");
  const made = await cli.withHome(({ engine }) =>
    createToken(engine.store, {
      name,
      role,
      lasts: expires ?? null,
      by: actor(engine, null),
      at: cli.now(),
    }),
  );
  printToken(cli, made);
  return 0;
}
