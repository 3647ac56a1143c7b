/** `reprise session fork`: copies a session to a new key. */

import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { printCreated } from "../format/created.ts";

export async function run(
  cli: Cli,
  argument: string,
  newArgument: string,
  { at }: { readonly at?: string },
): Promise<number> {
  const fork = { key: sessionKey(argument), newKey: sessionKey(newArgument), at: at ?? null };
  const created = await cli.withReprise(({ sessions }) => sessions.fork(fork));
  printCreated(cli, "Forked", created);
  return 0;
}
