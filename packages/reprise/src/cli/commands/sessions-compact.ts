/** `reprise sessions compact`: the next turn begins a shorter provider session. */

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
      `The next turn of session ${key} starts a new provider session that begins with a summary.`,
    );
  return 0;
}
