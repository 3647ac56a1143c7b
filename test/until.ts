/** Waits for a state that no event reports. The bound ends only what hangs: no test may depend on how long it is. */

import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Well above what a wait takes on a machine with much other work. */
export const patience = 120_000;

/** Returns what the condition returned once that is neither empty nor false. */
export async function until<Result>(
  condition: () => Result | Promise<Result>,
  awaited: string = condition.toString(),
): Promise<Exclude<NonNullable<Result>, false | "">> {
  const began = performance.now();
  for (;;) {
    const result = await condition();
    if (result) return result as Exclude<NonNullable<Result>, false | "">;
    if (performance.now() - began > patience)
      throw new Error(`Still not so after ${patience / 1000} s: ${awaited}`);
    await pause(5);
  }
}

export async function appears(path: string): Promise<void> {
  await until(() => existsSync(path), `${path} exists`);
}
