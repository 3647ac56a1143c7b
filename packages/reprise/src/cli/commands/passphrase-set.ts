/** `reprise passphrase set`: sets or replaces a passphrase that gates can ask for. */

import { UsageError } from "@reprise/core/errors/errors";
import { checkPassphraseName } from "@reprise/core/session/passphrase";
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
  requireOutsideTurn("set a passphrase");
  checkPassphraseName(name);
  await cli.withHome(async ({ engine }) => {
    const isThere = (await engine.store.listPassphrases()).some((each) => each.name === name);
    const before = isThere ? [`Current passphrase ${name}`] : [];
    const again = passphraseStdin ? [] : ["Repeat the new passphrase"];
    const questions = [...before, `New passphrase ${name}`, ...again];
    const given = await readSecrets(cli, questions, passphraseStdin);
    const [passphrase = "", repeated] = given.slice(before.length);
    if (repeated !== undefined && repeated !== passphrase)
      throw new UsageError(
        "passphrases-differ",
        "The two passphrases differ.",
        "Nothing was changed; try again.",
      );
    const current = isThere ? (given[0] ?? null) : null;
    await setPassphrase(engine, { name, passphrase, current, by: userName(cli.env) });
  });
  if (cli.json) cli.document({ name });
  else
    cli.out.line(`The passphrase ${name} is set. A gate asks for it with "passphrase: ${name}".`);
  return 0;
}
