/** `reprise run`: runs a workflow in the foreground until it ends or waits for a person. */

import { resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { readWorkflow, type WorkflowText } from "../input/workflow-file.ts";
import { carryRun } from "../run-carry.ts";
import { userName } from "../user-name.ts";

interface RunOptions {
  readonly input?: Record<string, string>;
  readonly id?: string;
  readonly folder?: string;
  readonly by?: string;
  readonly dryRun?: boolean;
  readonly jsonl?: boolean;
  readonly detach?: boolean;
}

export async function run(cli: Cli, file: string, options: RunOptions): Promise<number> {
  const workflow = await readWorkflow(cli, file);
  const start = startOf(cli, workflow, options);
  if (options.dryRun) {
    const { dryRun } = await import("../dry-run.ts");
    return dryRun(cli, start);
  }
  if (options.detach) {
    const { runDetached } = await import("../run-detached.ts");
    return runDetached(cli, start);
  }
  return carryRun(cli, options, (reprise, { signal, onStarted }) =>
    reprise.runs.start(start, { onStarted, ...(signal && { signal }) }),
  );
}

function startOf(cli: Cli, { text, path }: WorkflowText, { input, id, folder, by }: RunOptions) {
  return {
    source: text,
    path,
    inputs: input ?? {},
    id: id ?? null,
    folder: resolve(cli.cwd, folder ?? "."),
    by: by ?? userName(cli.env),
  };
}
