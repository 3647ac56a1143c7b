/** `reprise provider matrix`: what each provider can do, as Markdown. */

import { readProviders } from "@reprise/engine/load-providers";
import { capabilityMatrix } from "@reprise/providers/matrix";
import type { Cli } from "../cli.ts";
import { inert } from "../format/text.ts";

export async function run(cli: Cli): Promise<number> {
  const { providers } = await readProviders(cli);
  cli.out.write(inert(`${capabilityMatrix(providers.map(({ manifest }) => manifest))}\n`));
  return 0;
}
