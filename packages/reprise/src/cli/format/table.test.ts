import { expect, test } from "vitest";
import { testCli } from "../test-surroundings.ts";
import { fields, table } from "./table.ts";
import { textWidth } from "./text.ts";

interface Row {
  readonly key: string;
  readonly turns: number;
  readonly folder: string;
}

const rows: Row[] = [
  { key: "wf:42:agent:coder", turns: 3, folder: `/home/me/${"deep/".repeat(30)}end` },
  { key: "日本", turns: 120, folder: "/tmp\nwith a line end" },
];

const columns = [
  { title: "KEY", cell: ({ key }: Row) => key, shrink: "middle" as const },
  { title: "TURNS", cell: ({ turns }: Row) => String(turns), align: "right" as const },
  { title: "FOLDER", cell: ({ folder }: Row) => folder, shrink: "middle" as const },
];

test("nothing is shortened without a terminal", () => {
  const lines = table(testCli().out, columns, rows);
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain(rows[0]!.folder);
  expect(lines[2]).toBe(`日本${" ".repeat(13)}    120  /tmp with a line end`);
});

test.each([40, 80, 120])("on a terminal of %i columns no line is longer", (width) => {
  const lines = table(testCli({ columns: width }).out, columns, rows);
  expect(Math.max(...lines.map((line) => textWidth(stripped(line))))).toBeLessThanOrEqual(width);
  expect(stripped(lines[1]!)).toMatch(/^wf:42:.*coder {6}3 {2}\/home.*….*end$/);
});

test("fields without a value are left out", () => {
  const lines = fields(testCli().out, [
    ["name", "coder"],
    ["class", null],
    ["provider", "codex"],
  ]);
  expect(lines).toEqual(["name      coder", "provider  codex"]);
});

function stripped(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with the escape character
  return line.replace(/\u001b\[\d+m/g, "");
}
