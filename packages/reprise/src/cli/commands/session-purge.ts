/** `reprise session purge`: deletes a session with everything that belongs to it, after asking. */

import { UsageError } from "@reprise/core/errors/errors";
import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { asking, isAnswerable } from "../input/ask.ts";

export async function run(
  cli: Cli,
  argument: string,
  { yes, force = false }: { readonly yes?: boolean; readonly force?: boolean },
): Promise<number> {
  const key = sessionKey(argument);
  if (!yes && !isAnswerable(cli))
    throw new UsageError(
      "not-confirmed",
      `Removing session ${key} must be confirmed, and there is no terminal.`,
      "Confirm with --yes.",
    );
  const purged = await cli.withReprise(async ({ sessions }) => {
    if (!yes) {
      const { turns, agent } = await sessions.show(key);
      const what = `session ${key} of ${agent} (${turns} ${turns === 1 ? "turn" : "turns"})`;
      if (!(await confirmed(cli, `Permanently remove ${what} and its checkpoints?`))) return false;
    }
    await sessions.purge(key, { force });
    return true;
  });
  if (cli.json) cli.document({ key, purged });
  else if (purged) cli.out.line(`Removed session ${key}.`);
  else cli.remark("Nothing was removed.");
  return purged ? 0 : 1;
}

function confirmed(cli: Cli, question: string): Promise<boolean> {
  return asking(cli, async (ask) => /^y(es)?$/i.test(await ask(`${question} [y/N]`)));
}
