/** `reprise rerun`: goes on with a run, from what failed or from a node. */

import type { Cli } from "../cli.ts";
import { carryRun } from "../run-carry.ts";
import { userName } from "../user-name.ts";

interface RerunOptions {
  readonly from?: string;
  readonly fromStart?: boolean;
  readonly by?: string;
  readonly jsonl?: boolean;
}

export function run(
  cli: Cli,
  id: string,
  { from, fromStart = false, by, jsonl = false }: RerunOptions,
): Promise<number> {
  return carryRun(cli, { jsonl }, async (reprise, { signal, onResumed }) => {
    const { id: run } = await reprise.runs.show(id);
    await onResumed(run);
    return reprise.runs.rerun(
      { run, from: from ?? null, fromStart, by: by ?? userName(cli.env) },
      signal && { signal },
    );
  });
}
