/** Prints the warnings about a workflow file, with their lines: what the file leaves open and a rule decided. */

import type { Reprise, RunDetail, StartRun } from "@reprise/core/api/reprise";
import type { Cli } from "./cli.ts";
import { marked } from "./format/outcome.ts";

/** How many of the newest runs are checked. */
const maxRuns = 100;

type Warnings = RunDetail["warnings"];

/** `path` is missing where the workflow came from standard input. */
export function printWarnings(cli: Cli, path: string | null | undefined, warnings: Warnings): void {
  const mark = cli.err.paint("yellow", "!");
  for (const { message, hint, position } of warnings) {
    const place = [path ?? "-", ...(position ? [position.line, position.column] : [])].join(":");
    for (const line of marked(cli.err, mark, `${place}: ${message} ${hint}`)) cli.remark(line);
  }
}

/** Those of kind `implied-…` only if no earlier run of this file, as it is now, has printed them. */
export async function newWarnings(
  { runs }: Pick<Reprise, "runs">,
  { source, path }: Pick<StartRun, "source" | "path">,
  warnings: Warnings,
): Promise<Warnings> {
  if (!path || !warnings.some(isImplied)) return warnings;
  const before = (await runs.list({ limit: maxRuns })).find((run) => run.path === path);
  const isKnown = before !== undefined && (await runs.show(before.id)).source === source;
  return isKnown ? warnings.filter((each) => !isImplied(each)) : warnings;
}

function isImplied({ code }: Warnings[number]): boolean {
  return code.startsWith("implied-");
}
