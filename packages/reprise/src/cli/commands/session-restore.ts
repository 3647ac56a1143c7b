/** `reprise session restore`: writes the files of a kept session back to where they were. */

import type { RestoredFile, RestoredSession } from "@reprise/core/api/reprise";
import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";

interface RestoreOptions {
  readonly provider?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly earlier?: boolean;
}

const done: Readonly<Record<RestoredFile["action"], string>> = {
  written: "written ",
  replaced: "replaced",
  same: "there   ",
};
const planned: typeof done = { written: "write   ", replaced: "replace ", same: "there   " };

export async function run(cli: Cli, id: string, options: RestoreOptions): Promise<number> {
  requireOutsideTurn("restore a session");
  const { provider, dryRun, force, earlier } = options;
  const restored = await cli.withReprise(({ protect }) =>
    protect.restore({ id, provider, dryRun, force, earlier }),
  );
  if (cli.json) cli.document(restored);
  else print(cli, restored, dryRun ?? false);
  return 0;
}

function print(cli: Cli, restored: RestoredSession, dryRun: boolean): void {
  const { files, aside, changed, id, provider, folder } = restored;
  const words = dryRun ? planned : done;
  for (const { path, action } of files) cli.out.line(`${words[action]}  ${path}`);
  if (aside !== null) cli.remark(`What was there is in ${aside}.`);
  if (dryRun) cli.remark("Nothing was written.");
  else if (!changed) cli.remark("Everything is there; nothing was written.");
  else
    cli.remark(
      `To continue it with Reprise${folder === null ? "" : `, in ${folder}`}: reprise session import --provider ${provider} --id ${id} --key KEY --agent NAME`,
    );
}
