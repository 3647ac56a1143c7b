/** `reprise session compact`: makes the next turn compact the session. */

import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";

export async function run(
  cli: Cli,
  argument: string,
  { focus }: { readonly focus?: string },
): Promise<number> {
  const key = sessionKey(argument);
  const session = await cli.withReprise(({ sessions }) =>
    sessions.compact({ key, focus: focus ?? null }),
  );
  if (cli.json) cli.document(session);
  else
    cli.out.line(
      `The next turn of session ${key} compacts it first, or starts a new one that begins with a summary.`,
    );
  return 0;
}
