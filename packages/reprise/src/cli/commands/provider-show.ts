/** `reprise provider show`: what one provider can do, and the settings of its agents. */

import { accessLevels } from "@reprise/core/session/access";
import { readProviders } from "@reprise/engine/load-providers";
import { providerView } from "@reprise/engine/provider-view";
import type { Cli } from "../cli.ts";
import { fields } from "../format/table.ts";

export async function run(cli: Cli, name: string): Promise<number> {
  const provider = (await readProviders(cli)).find(name);
  const view = providerView(provider);
  if (cli.json) {
    cli.document(view);
    return 0;
  }
  const { properties, patternProperties = {} } = provider.manifest.settings;
  const settings = [
    ...Object.entries(properties),
    ...Object.values(patternProperties).map((schema) => [schema.title, schema] as const),
  ];
  const lines = fields(cli.out, [
    ["name", view.name],
    ["agent", view.title],
    ["runner", view.runners.join(", ")],
    ["tested with", `${view.program.product} ${view.program.tested.join(", ")}`],
    ["abilities", view.abilities.join(", ")],
    ["checkpoint", view.checkpoint],
    ...accessLevels.map((level) => [level, view.access.levels[level] ?? "refused"] as const),
    ["limits", view.access.limits.join(" ") || null],
    ...settings.map(([setting, { description }]) => [`set ${setting}`, description] as const),
  ]);
  for (const line of lines) cli.out.line(line);
  return 0;
}
