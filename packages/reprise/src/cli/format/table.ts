/** An aligned table that never wraps: columns shrink, widest first, until it fits the terminal. */

import type { Channel, Style } from "../cli.ts";
import { clip, fit, oneLine, shorten, textWidth } from "./text.ts";

export interface Column<Row> {
  readonly title: string;
  cell(row: Row): string;
  style?(row: Row): Style | null;
  readonly align?: "left" | "right";
  /** How a cell shrinks: in the middle (ids, paths), at the end (sentences), or not at all. */
  readonly shrink?: "middle" | "end";
}

const gap = "  ";

export function table<Row>(
  channel: Channel,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { readonly indent?: number; readonly titles?: boolean } = {},
): string[] {
  const indent = " ".repeat(options.indent ?? 0);
  const cells = rows.map((row) => columns.map((column) => oneLine(column.cell(row))));
  const titles = options.titles === false ? [] : [columns.map(({ title }) => title)];
  const natural = columns.map((_, index) =>
    Math.max(0, ...[...titles, ...cells].map((line) => textWidth(line[index]!))),
  );
  const room = channel.width - indent.length - gap.length * (columns.length - 1);
  const widths = fit(
    natural,
    columns.map(({ shrink }) => shrink !== undefined),
    room,
  );

  const lay = (line: readonly string[], style: (index: number) => Style | null) =>
    indent +
    columns
      .map(({ align, shrink }, index) => {
        const width = widths[index]!;
        const text = (shrink === "end" ? clip : shorten)(line[index]!, width);
        const padding = " ".repeat(Math.max(0, width - textWidth(text)));
        const painted = paint(channel, style(index), text);
        if (align === "right") return padding + painted;
        return index === columns.length - 1 ? painted : painted + padding;
      })
      .join(gap)
      .trimEnd();

  return [
    ...titles.map((line) => lay(line, () => "dim")),
    ...rows.map((row, line) => lay(cells[line]!, (index) => columns[index]!.style?.(row) ?? null)),
  ];
}

function paint(channel: Channel, style: Style | null, text: string): string {
  return style === null ? text : channel.paint(style, text);
}

/** Names and values under each other, as `show` commands print them. */
export function fields(
  channel: Channel,
  entries: readonly (readonly [name: string, value: string | null])[],
): string[] {
  const present = entries.filter((entry): entry is [string, string] => entry[1] !== null);
  return table(
    channel,
    [
      { title: "", cell: ([name]) => name, style: () => "dim" },
      { title: "", cell: ([, value]) => value, shrink: "middle" },
    ],
    present,
    { titles: false },
  );
}
