/** `reprise token create`: creates a token, which is shown once. */

import type { Role } from "@reprise/core/api/role";
import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";
import { printToken } from "../format/token.ts";

export async function run(
  cli: Cli,
  name: string,
  { role, expires }: { readonly role: Role; readonly expires?: number },
): Promise<number> {
  // A server cannot know which process asks it.
  requireOutsideTurn("create a token");
  const made = await cli.withReprise(({ tokens }) =>
    tokens.create({ name, role, expiresIn: expires }),
  );
  printToken(cli, made);
  return 0;
}
