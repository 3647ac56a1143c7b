/** `reprise config show`: every setting, its value, and where the value comes from. */

import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";

export async function run(cli: Cli): Promise<number> {
  const { readSettings } = await import("@reprise/engine/config");
  const { env, cwd } = cli;
  const read = await readSettings({ flags: {}, env, cwd, tolerant: true });
  const { ignored, broken } = read;
  const list = read.list();
  for (const text of [...broken, ...ignored]) cli.remark(text);
  if (cli.json) {
    cli.document(list);
    return 0;
  }
  const lines = table<(typeof list)[number]>(
    cli.out,
    [
      { title: "NAME", cell: ({ name }) => name, style: () => "bold" },
      { title: "VALUE", cell: ({ value }) => valueText(value), shrink: "middle" },
      { title: "ORIGIN", cell: ({ origin }) => origin, shrink: "middle" },
      { title: "ABOUT", cell: ({ about }) => about, style: () => "dim", shrink: "end" },
    ],
    list,
  );
  for (const line of lines) cli.out.line(line);
  return 0;
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
