/** `reprise session prune`: archives and purges what is due, or lists it. */

import type { PruneReport } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";

interface PruneOptions {
  readonly dryRun?: boolean;
  readonly enforce?: boolean;
}

type Step = PruneReport["steps"][number];

const done = { archive: "archived", purge: "purged" };

export async function run(cli: Cli, { dryRun, enforce }: PruneOptions): Promise<number> {
  const wanted = dryRun ? { enforce: false } : enforce ? { enforce } : {};
  const report = await cli.withReprise(({ sessions }) => sessions.prune(wanted));
  if (cli.json) {
    cli.document(report);
    return 0;
  }
  const { enforced, steps, spared, skipped } = report;
  const lines = [
    ...steps.map((step) => ({ ...step, what: enforced ? done[step.action] : step.action })),
    ...[...spared, ...skipped].map((step) => ({ ...step, what: "keep" })),
  ];
  for (const line of stepTable(cli, lines)) cli.out.line(line);
  cli.remark(summary(report, dryRun ?? false));
  return 0;
}

function stepTable(cli: Cli, lines: readonly (Step & { what: string })[]): string[] {
  if (lines.length === 0) return [];
  return table<Step & { what: string }>(
    cli.out,
    [
      { title: "WHAT", cell: ({ what }) => what },
      { title: "KEY", cell: ({ key }) => key, style: () => "bold", shrink: "middle" },
      { title: "WHY", cell: ({ reason }) => reason, shrink: "end" },
    ],
    lines,
  );
}

function summary({ enforced, steps }: PruneReport, dryRun: boolean): string {
  if (steps.length === 0) return "There is nothing to do.";
  const count = (action: Step["action"]) => steps.filter((step) => step.action === action).length;
  if (enforced) return `${count("archive")} archived, ${count("purge")} purged.`;
  const why = dryRun ? "" : " (prune.mode is warn)";
  return `Nothing was changed${why}. Do it with: reprise session prune --enforce`;
}
