/** What `reprise run --dry-run` prints: the nodes that would run, and the sessions they would use. */

import type { RunPlan, StartRun } from "@reprise/core/api/reprise";
import type { Cli } from "./cli.ts";
import { outcomeStyle } from "./format/outcome.ts";
import { fields, table } from "./format/table.ts";
import { brief, oneLine } from "./format/text.ts";
import { planRun } from "./run-plan.ts";
import { printWarnings } from "./run-warnings.ts";

type Step = RunPlan["steps"][number];

export async function dryRun(cli: Cli, start: StartRun): Promise<number> {
  const plan = await planRun(cli, start);
  if (cli.json) {
    cli.document(plan);
    return 0;
  }
  const { out } = cli;
  out.line(out.paint("bold", plan.workflow));
  const inputs = Object.entries(plan.inputs).map(
    ([name, value]) => [`input ${name}`, oneLine(text(value))] as const,
  );
  for (const line of fields(out, [["folder", plan.folder], ...inputs])) out.line(line);
  out.line();
  const steps = new Map(plan.steps.map((step) => [step.node, step]));
  const lines = table<Step>(
    out,
    [
      { title: "NODE", cell: (step) => `${"· ".repeat(depth(step, steps))}${step.node}` },
      { title: "WHAT", cell: ({ about }) => about, shrink: "end" },
      { title: "SESSION", cell: ({ session }) => session ?? "", shrink: "middle" },
      {
        title: "FIRST TURN",
        cell: ({ turn }) => (turn ? `${turn.outcome} · ${brief(turn.why)}` : ""),
        style: ({ turn }) => outcomeStyle(turn?.outcome ?? null),
        shrink: "end",
      },
    ],
    plan.steps.filter(({ type }) => type !== "output"),
  );
  for (const line of lines) out.line(line);
  printWarnings(cli, start.path, plan.warnings);
  cli.remark("Nothing was started.");
  return 0;
}

function depth(step: Step, steps: ReadonlyMap<string, Step>): number {
  const parent = step.parent === null ? undefined : steps.get(step.parent);
  return parent ? 1 + depth(parent, steps) : 0;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
