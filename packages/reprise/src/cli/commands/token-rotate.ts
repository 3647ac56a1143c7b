/** `reprise token rotate`: replaces a token by a new one, which is shown once. */

import { actor } from "@reprise/engine/actor";
import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import { rotateToken } from "../../server/tokens.ts";
import type { Cli } from "../cli.ts";
import { clock } from "../format/time.ts";
import { printToken } from "../format/token.ts";

export async function run(
  cli: Cli,
  name: string,
  { grace = 0, expires }: { readonly grace?: number; readonly expires?: number },
): Promise<number> {
  requireOutsideTurn("rotate a token");
  const at = cli.now();
  const made = await cli.withHome(({ engine }) =>
    rotateToken(engine.store, { name, grace, lasts: expires ?? null, by: actor(engine, null), at }),
  );
  printToken(cli, made);
  cli.remark(
    grace === 0
      ? "The earlier token is no longer valid."
      : `The earlier token stays valid until ${clock(at + grace)}.`,
  );
  return 0;
}
