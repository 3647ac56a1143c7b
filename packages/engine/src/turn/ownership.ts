/** Whether a process still carries a turn, or any process may continue it. */

import type { Turn } from "@reprise/core/session/turn";
import { lives } from "@reprise/providers/launch/process";
import type { Engine } from "../engine.ts";
import { isLetGo } from "../unrecorded.ts";

/** Its owner is gone, or has let go of it. */
export async function isFree(engine: Engine, { id, owner, token }: Turn): Promise<boolean> {
  if (owner === null || isLetGo(engine, { kind: "turn", id, token })) return true;
  return !lives(owner);
}
