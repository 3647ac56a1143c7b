/** A provider as the API shows it. */

import type { ProviderView } from "@reprise/core/api/reprise";
import { commonSettings } from "@reprise/core/settings/agent-settings";
import { settingsJsonSchema } from "@reprise/providers/manifest";
import type { Provider } from "@reprise/providers/provider";
import { builtInProviders } from "@reprise/providers/registry";

export function providerView({ manifest }: Provider): ProviderView {
  const { name, title, runners, abilities, settings, access, checkpoint, program } = manifest;
  const properties = { ...settings.properties, ...commonSettings };
  return {
    name,
    title,
    runners: [...new Set([...runners, name])],
    abilities: [...abilities],
    settings: settingsJsonSchema({ ...settings, properties }),
    access: {
      levels: { ...access.levels },
      limits: [...access.limits],
      asks: access.asks,
    },
    checkpoint,
    program: { product: program.product, tested: [...program.tested], install: program.install },
    builtIn: builtInProviders.some((provider) => provider.manifest.name === name),
  };
}
