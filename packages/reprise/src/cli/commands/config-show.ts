/** `reprise config show`: every setting, its value, and where the value comes from. */

import type { SettingView } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";

export async function run(cli: Cli): Promise<number> {
  const settings = await cli.withHome(({ reprise }) => reprise.config());
  if (cli.json) {
    cli.document(settings);
    return 0;
  }
  const lines = table<SettingView>(
    cli.out,
    [
      { title: "NAME", cell: ({ name }) => name, style: () => "bold" },
      { title: "VALUE", cell: ({ value }) => valueText(value), shrink: "middle" },
      { title: "ORIGIN", cell: ({ origin }) => origin, shrink: "middle" },
      { title: "ABOUT", cell: ({ about }) => about, style: () => "dim", shrink: "end" },
    ],
    settings,
  );
  for (const line of lines) cli.out.line(line);
  return 0;
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
