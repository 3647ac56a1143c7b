/** `reprise runs`: a line for each run. */

import type { RunView } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { runState, runStyle } from "../format/run.ts";
import { table } from "../format/table.ts";
import { age, elapsed } from "../format/time.ts";

interface RunsOptions {
  readonly status?: RunView["status"];
  readonly workflow?: string;
  readonly limit?: number;
}

export async function run(cli: Cli, { status, workflow, limit }: RunsOptions): Promise<number> {
  const query = {
    ...(status && { status }),
    ...(workflow && { workflow }),
    ...(limit && { limit }),
  };
  const runs = await cli.withReprise((reprise) => reprise.runs.list(query));
  if (cli.json) {
    cli.document(runs);
    return 0;
  }
  if (runs.length === 0) {
    cli.remark(
      status || workflow
        ? "There are no such runs."
        : "There are no runs yet. Start one: reprise run WORKFLOW.yaml",
    );
    return 0;
  }
  const now = cli.now();
  const lines = table<RunView>(
    cli.out,
    [
      { title: "RUN", cell: ({ id }) => id, style: () => "bold", shrink: "middle" },
      { title: "WORKFLOW", cell: ({ workflow }) => workflow, shrink: "end" },
      { title: "STATUS", cell: runState, style: ({ status }) => runStyle(status) },
      {
        title: "TOOK",
        cell: (run) => elapsed((run.endedAt ?? now) - run.startedAt),
        align: "right",
      },
      { title: "AGE", cell: ({ startedAt }) => age(startedAt, now), align: "right" },
      { title: "", cell: ({ error }) => error?.message ?? "", style: () => "red", shrink: "end" },
    ],
    runs,
  );
  for (const line of lines) cli.out.line(line);
  const left = runs.find(({ stalled }) => stalled);
  if (left) cli.remark(`Nobody carries ${left.id} on: reprise rerun ${left.id}`);
  return 0;
}
