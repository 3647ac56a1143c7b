/** `reprise provider list`: a line for each provider. */

import { readProviders } from "@reprise/engine/load-providers";
import { providerView } from "@reprise/engine/provider-view";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";

export async function run(cli: Cli): Promise<number> {
  const loaded = await readProviders(cli);
  const providers = loaded.providers.map(providerView);
  if (cli.json) cli.document(providers);
  else
    for (const line of table(
      cli.out,
      [
        { title: "NAME", cell: ({ name }) => name, style: () => "bold" },
        { title: "AGENT", cell: ({ title }) => title, shrink: "end" },
        { title: "RUNNER", cell: ({ runners }) => runners.join(", "), shrink: "end" },
        { title: "TESTED WITH", cell: ({ program }) => program.tested.join(", "), shrink: "end" },
        { title: "FROM", cell: ({ builtIn }) => (builtIn ? "Reprise" : "your settings") },
      ],
      providers,
    ))
      cli.out.line(line);
  for (const { error } of loaded.broken) cli.remark(`${error.message} ${error.hint}`);
  return 0;
}
