/** `reprise session release`: releases a session from one holder. */

import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { holders } from "../format/holds.ts";

export async function run(
  cli: Cli,
  argument: string,
  { by }: { readonly by?: string },
): Promise<number> {
  const key = sessionKey(argument);
  const release = { key, ...(by && { by }) };
  const session = await cli.withReprise(({ sessions }) => sessions.release(release));
  if (cli.json) cli.document(session);
  else if (session.held.length === 0) cli.out.line(`Session ${key} is no longer held.`);
  else cli.out.line(`Session ${key} is still held by ${holders(session)}.`);
  return 0;
}
