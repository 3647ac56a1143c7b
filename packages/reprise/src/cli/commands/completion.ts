/** `reprise completion`: prints the script that a shell reads. */

import type { Cli } from "../cli.ts";
import { completionScript, type Shell } from "../completion/script.ts";

export async function run(cli: Cli, shell: Shell): Promise<number> {
  if (cli.json) cli.document({ shell, script: completionScript(shell) });
  else cli.out.write(completionScript(shell));
  return 0;
}
