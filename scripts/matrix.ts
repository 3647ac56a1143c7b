/** The conformance matrix: what every provider was shown to do, read from test titles such as `C04/claude: …`. */

import type { NotApplicable } from "../test/conformance/not-applicable.ts";
import type { TestOutcome } from "./outcomes.ts";
import { titleMarks } from "./title-marks.ts";

const cases = [
  "coupling",
  "fresh never reuses an id",
  "dead session",
  "another id comes back",
  "transient failures",
  "poison",
  "ghost id",
  "one writer",
  "clear",
  "checkpoint",
  "restart",
  "gate of days",
  "archived key",
  "modes",
  "docks",
  "one session over loops",
  "retry gate",
  "streams",
  "paths, flags, environment",
  "compaction and cost",
  "silent history loss",
  "crash of the server",
  "a turn typed natively",
  "adoption",
  "a rejection stops what is behind it",
  "access is what is shown",
];

/** A provider on another store than SQLite has a column of its own: `scripted on postgres`. */
const storeGroups = ["postgres"];

const columns = [
  "scripted",
  "scripted on postgres",
  "claude",
  "codex",
  "gemini",
  "opencode",
  "openai",
  "acp",
  "openclaw",
  "pi",
];

/** The table as text, with its legend and the reason of every `n/a`. */
export function matrix(
  outcomes: readonly TestOutcome[],
  notApplicable: readonly NotApplicable[],
): string {
  const cells = new Map<string, TestOutcome["state"][]>();
  for (const { titles, state, group } of outcomes) {
    const suffix = storeGroups.includes(group) ? ` on ${group}` : "";
    for (const cell of titles.flatMap(cellsOf).map((name) => name + suffix)) {
      cells.set(cell, [...(cells.get(cell) ?? []), state]);
    }
  }
  const excused = new Set(notApplicable.map(({ number, provider }) => `${number}/${provider}`));
  const head = ["", ...columns];
  const rows = cases.map((name, index) => {
    const number = `C${String(index + 1).padStart(2, "0")}`;
    const shown = columns.map((column) => {
      const cell = `${number}/${column}`;
      return mark(cells.get(cell), excused.has(cell));
    });
    return [`${number} ${name}`, ...shown];
  });
  return [
    ...table([head, ...rows]),
    "ok: shown; FAIL: a test of it failed; –: its tests were skipped; n/a: see below; ·: no test",
    ...notApplicable.map(({ number, provider, reason }) => `n/a ${number}/${provider}: ${reason}`),
  ].join("\n");
}

function cellsOf(title: string): string[] {
  return titleMarks(title).filter((mark) => mark.includes("/"));
}

function mark(states: readonly TestOutcome["state"][] | undefined, isExcused: boolean): string {
  if (states === undefined) return isExcused ? "n/a" : "·";
  if (states.includes("failed")) return "FAIL";
  return states.includes("passed") ? "ok" : "–";
}

function table(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}
