/** What a bench found, as a page for people: the figures beside their goals first. */

import type { Bench, Figure, Finding, Table } from "./bench.ts";

export interface Setting {
  readonly machine: string;
  readonly versions: string;
  readonly date: string;
  readonly command: string;
}

export function page(bench: Bench, finding: Finding, setting: Setting): string {
  return [
    `# ${bench.page?.title ?? bench.name}`,
    bench.about,
    table(["figure", "measured", "goal", ""], finding.figures.map(figureRow)),
    ...("sections" in finding
      ? finding.sections.flatMap((section) => [`## ${section.title}`, ...tableWithMethod(section)])
      : tableWithMethod(finding)),
    [
      `- ${setting.machine}`,
      `- ${setting.versions}`,
      `- ${setting.date}, \`${setting.command}\``,
    ].join("\n"),
  ].join("\n\n");
}

function tableWithMethod({ columns, rows, method }: Table): string[] {
  return [table(columns, rows), method];
}

function figureRow({ what, measured, goal, met }: Figure): string[] {
  return [what, measured, goal, met === null ? "not measured" : met ? "met" : "**missed**"];
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, index) =>
    Math.max(3, ...[column, ...rows.map((row) => row[index] ?? "")].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index]!)).join(" | ")} |`;
  return [line(columns), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`]
    .concat(rows.map(line))
    .join("\n");
}
