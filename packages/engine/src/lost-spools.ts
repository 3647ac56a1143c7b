/**
 * Removes spools of turns that a power loss took. A turn is stored before its spool is written, so a spool
 * without a turn belongs to none; it contains a prompt, and nothing else would remove it.
 */

import type { Engine } from "./engine.ts";
import { shellSpools } from "./run/work/shell.ts";

export async function removeLostSpools({ launcher, store }: Engine): Promise<void> {
  for (const turn of await launcher.spooled("")) {
    if (turn.startsWith(shellSpools)) continue;
    if ((await store.readTurn(turn)) === null) await launcher.remove(turn);
  }
}
