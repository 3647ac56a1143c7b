/** `reprise token rotate`: replaces a token by a new one, which is shown once. */

import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";
import { clock } from "../format/text.ts";
import { printToken } from "../format/token.ts";

export async function run(
  cli: Cli,
  name: string,
  { grace = 0, expires }: { readonly grace?: number; readonly expires?: number },
): Promise<number> {
  requireOutsideTurn("rotate a token");
  const at = cli.now();
  const made = await cli.withReprise(({ tokens }) =>
    tokens.rotate({ name, grace, expiresIn: expires }),
  );
  printToken(cli, made);
  cli.remark(
    grace === 0
      ? "The earlier token is no longer valid."
      : `The earlier token stays valid until ${clock(at + grace)}.`,
  );
  return 0;
}
