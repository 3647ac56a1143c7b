/** The turns whose agents wait for an answer, oldest first. */

import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";

export async function waitingTurns({ store }: Engine): Promise<Turn[]> {
  return (await store.listOpenTurns()).filter(({ status }) => status === "waiting");
}
