/** `reprise config unset`: removes one setting from a settings file. */

import type { Cli } from "../cli.ts";
import { coverRemark, type ScopeOptions, scopeOf } from "../input/config-scope.ts";

export async function run(cli: Cli, name: string, options: ScopeOptions): Promise<number> {
  const [{ configFile }, { unsetSetting }] = await Promise.all([
    import("@reprise/engine/config"),
    import("@reprise/engine/config-file"),
  ]);
  const file = configFile(scopeOf(options), cli);
  await unsetSetting(file, name);
  if (cli.json) cli.document({ name, file });
  else cli.out.line(`Removed ${name} from ${file}.`);
  await coverRemark(cli, name, null);
  return 0;
}
