/** The event in a run's stream for an answered agent of one of its nodes, so that any owner continues it. */

import type { Turn } from "@reprise/core/session/turn";
import type { NewEvent } from "@reprise/store/contract/events";
import type { Engine } from "../engine.ts";
import { readRunState } from "./read-state.ts";
import { toStored } from "./stream.ts";

export async function nodeAnswered(
  engine: Engine,
  { id: turn, request }: Turn,
  by: string | null,
): Promise<NewEvent | null> {
  if (!request.origin) return null;
  const { run, execution } = request.origin;
  const { state } = await readRunState(engine, run);
  const { attempt = 1 } = state.executions.get(execution) ?? {};
  return toStored({ type: "node.answered", execution, attempt, turn, by });
}
