/** `reprise passphrase remove`: gates that ask for it can no longer be answered. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { userName } from "@reprise/engine/engine";
import { setPassphrase } from "@reprise/engine/inbox/passphrase";
import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";
import { readSecrets } from "../input/secret.ts";

export async function run(
  cli: Cli,
  name: string,
  { passphraseStdin = false }: { readonly passphraseStdin?: boolean },
): Promise<number> {
  requireOutsideTurn("remove a passphrase");
  await cli.withHome(async ({ engine }) => {
    if (!(await engine.store.listPassphrases()).some((each) => each.name === name))
      throw new NotFoundError(
        "no-passphrase",
        `There is no passphrase ${name}.`,
        "List the passphrases with: reprise passphrase list",
      );
    const [current = ""] = await readSecrets(cli, [`Passphrase ${name}`], passphraseStdin);
    await setPassphrase(engine, { name, passphrase: null, current, by: userName(cli.env) });
  });
  if (cli.json) cli.document({ name });
  else cli.out.line(`The passphrase ${name} is removed.`);
  return 0;
}
