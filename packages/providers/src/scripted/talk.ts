/** The scripted agent as a person uses it: one prompt for each line, one answer, until the input ends. */

import { createInterface } from "node:readline";
import { answer } from "./answer.ts";
import { appendItem, type Item, readItems } from "./files.ts";
import type { Ledger } from "./ledger.ts";

export async function talk(
  { home, id }: { readonly home: string; readonly id: string },
  ledger: Ledger,
): Promise<number> {
  for await (const prompt of createInterface({ input: process.stdin })) {
    if (prompt.trim() === "") continue;
    const [, turns] = /^\/rewind (\d+)$/.exec(prompt.trim()) ?? [];
    if (turns !== undefined) {
      appendItem(home, id, { role: "rewind", text: turns });
      console.log(`The last ${turns} turns are taken back.`);
      continue;
    }
    const history = readItems(home, id) ?? [];
    ledger.write("model", { session: id, history: history.length, prompt });
    const { text, tool } = answer(history, prompt);
    const items: Item[] = [
      { role: "user", text: prompt },
      ...(tool === null ? [] : [{ role: "tool", text: tool } as const]),
      { role: "assistant", text },
    ];
    for (const item of items) appendItem(home, id, item);
    console.log(text);
  }
  return 0;
}
