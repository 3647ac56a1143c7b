/** `reprise passphrase list`: the names of the passphrases, and when each was set. */

import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";
import { ago } from "../format/text.ts";

export async function run(cli: Cli): Promise<number> {
  const passphrases = await cli.withHome(({ engine }) => engine.store.listPassphrases());
  if (cli.json) cli.document(passphrases);
  else if (passphrases.length === 0)
    cli.remark("There are no passphrases yet. Set one:\n  reprise passphrase set NAME");
  else
    for (const line of table<(typeof passphrases)[number]>(
      cli.out,
      [
        { title: "NAME", cell: ({ name }) => name, style: () => "bold", shrink: "middle" },
        { title: "SET", cell: ({ setAt }) => ago(setAt, cli.now()) },
      ],
      passphrases,
    ))
      cli.out.line(line);
  return 0;
}
