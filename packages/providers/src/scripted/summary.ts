/** The scripted agent's summary of its history: a count, the focus, and what it was asked to remember. */

import { rememberedIn } from "./answer.ts";
import type { Item } from "./files.ts";

export function summaryOf(history: readonly Item[], focus: string): Item {
  const said = history.filter(({ role }) => role === "user" || role === "summary");
  const remembered = said.flatMap(({ text }) => rememberedIn(text));
  const lines = [
    `Summary of ${history.length} items.`,
    ...(focus === "" ? [] : [`Focus: ${focus}`]),
    ...remembered.map((what) => `remember ${what}`),
  ];
  return { role: "summary", text: lines.join("\n") };
}
