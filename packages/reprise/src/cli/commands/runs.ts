/** `reprise runs`: a line for each run, newest first. */

import type { RunView } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { runState, runStyle } from "../format/run.ts";
import { table } from "../format/table.ts";
import { age, elapsed } from "../format/text.ts";
import { readPages, remarkRest } from "../pages.ts";

interface RunsOptions {
  readonly status?: RunView["status"];
  readonly workflow?: string;
  readonly limit?: number;
  readonly after?: string;
}

export async function run(
  cli: Cli,
  { status, workflow, limit = 50, after }: RunsOptions,
): Promise<number> {
  const filter = { ...(status && { status }), ...(workflow && { workflow }) };
  const { runs, total } = await cli.withReprise(async (reprise) => {
    const page = { limit, ...(after !== undefined && { after }) };
    const runs = await readPages(
      page,
      (each) => reprise.runs.list({ ...filter, ...each }),
      ({ id }) => id,
    );
    return { runs, total: await reprise.runs.count(filter) };
  });
  if (cli.json) {
    cli.document(runs);
    return 0;
  }
  if (runs.length === 0) {
    cli.remark(
      status || workflow || after
        ? "No run matches."
        : "There are no runs yet. Start one: reprise run WORKFLOW.yaml",
    );
    return 0;
  }
  for (const line of lines(cli, runs)) cli.out.line(line);
  const last = runs.at(-1)!.id;
  if (runs.length === limit) remarkRest(cli, { shown: runs.length, total, what: "runs", last });
  const stalled = runs.find((each) => each.stalled);
  if (stalled)
    cli.remark(
      `No process is running ${stalled.id}. Continue it with: reprise rerun ${stalled.id}`,
    );
  return 0;
}

function lines(cli: Cli, runs: readonly RunView[]): string[] {
  const now = cli.now();
  return table<RunView>(
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
}
