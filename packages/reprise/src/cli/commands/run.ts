/** `reprise run`: runs a workflow in the foreground until it ends or waits for a person. */

import type { Cli } from "../cli.ts";
import { driveRun } from "../run-drive.ts";
import { hasHome, planRun } from "../run-plan.ts";
import { type RunStartOptions, readStart } from "../run-start.ts";
import { newWarnings, printWarnings } from "../run-warnings.ts";

interface RunOptions extends RunStartOptions {
  readonly dryRun?: boolean;
  readonly jsonl?: boolean;
  readonly detach?: boolean;
}

export async function run(cli: Cli, file: string, options: RunOptions): Promise<number> {
  const { start, warnings } = await readStart(cli, file, options);
  if (options.dryRun) {
    const { dryRun } = await import("../dry-run.ts");
    return dryRun(cli, start);
  }
  if (options.detach) {
    const { runDetached } = await import("../run-detached.ts");
    return runDetached(cli, { start, warnings });
  }
  // A refused run must not create a home.
  if (!hasHome(cli)) await planRun(cli, start);
  return driveRun(cli, options, async (reprise, { signal, onStarted }) => {
    const printed = cli.json || options.jsonl ? [] : await newWarnings(reprise, start, warnings);
    return reprise.runs.start(start, {
      onStarted: (id) => {
        printWarnings(cli, start.path, printed);
        onStarted(id);
      },
      ...(signal && { signal }),
    });
  });
}
