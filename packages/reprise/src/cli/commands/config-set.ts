/** `reprise config set`: one setting in a settings file. */

import { requireProjectSetting } from "@reprise/core/settings/settings";
import type { Cli } from "../cli.ts";
import { coverRemark, type ScopeOptions, scopeOf } from "../input/config-scope.ts";

export async function run(
  cli: Cli,
  name: string,
  text: string,
  options: ScopeOptions,
): Promise<number> {
  const [{ configFile }, { setSetting }] = await Promise.all([
    import("@reprise/engine/config"),
    import("@reprise/engine/config-file"),
  ]);
  const scope = scopeOf(options);
  if (scope === "project") requireProjectSetting(name);
  const file = configFile(scope, cli);
  const value = await setSetting(file, name, text);
  if (cli.json) cli.document({ name, value, file });
  else cli.out.line(`Set ${name} to ${value} in ${file}.`);
  await coverRemark(cli, name, file);
  return 0;
}
