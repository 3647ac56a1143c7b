/**
 * Spools of turns that a loss of power took. A turn can be seen before it has a spool, so one whose turn
 * is not there is nobody's; it holds a prompt, and nothing else would ever remove it.
 */

import type { Engine } from "./engine.ts";
import { shellSpools } from "./run/work/shell.ts";

export async function removeLostSpools({ launcher, store }: Engine): Promise<void> {
  for (const turn of await launcher.spooled("")) {
    if (turn.startsWith(shellSpools)) continue;
    if ((await store.readTurn(turn)) === null) await launcher.remove(turn);
  }
}
