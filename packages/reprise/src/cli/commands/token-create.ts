/** `reprise token create`: creates a token, which is shown once. */

import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import { createToken } from "../../server/tokens.ts";
import type { Cli } from "../cli.ts";

export async function run(
  cli: Cli,
  name: string,
  { role }: { readonly role: string },
): Promise<number> {
  requireOutsideTurn("create a token");
  const made = await cli.withHome(({ engine }) =>
    createToken(engine.store, { name, role, at: cli.now() }),
  );
  if (cli.json) cli.document(made);
  else cli.out.line(made.token);
  cli.remark(`This is the only time that the token of ${name} (${made.role}) is shown.`);
  return 0;
}
