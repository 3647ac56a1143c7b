/** `reprise cancel`: ends a run and its processes. */

import type { Cli } from "../cli.ts";
import { runState } from "../format/run.ts";
import { userName } from "../user-name.ts";

export async function run(cli: Cli, id: string, { by }: { readonly by?: string }): Promise<number> {
  const cancelled = await cli.withReprise((reprise) =>
    reprise.runs.cancel({ run: id, by: by ?? userName(cli.env) }),
  );
  if (cli.json) cli.document(cancelled);
  else cli.out.line(`Run ${cancelled.id} is ${runState(cancelled)}.`);
  return 0;
}
