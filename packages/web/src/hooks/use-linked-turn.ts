/** Loads earlier turns until the one that the address names is among them; gives what speaks against it. */

import { useEffect } from "react";
import { asProblem, ServerProblem } from "../problem.ts";
import { useTurn } from "./use-turn.ts";
import type { useTurns } from "./use-turns.ts";

export function useLinkedTurn(
  key: string,
  turn: string | null,
  { data, error, hasNextPage, isFetching, fetchNextPage }: ReturnType<typeof useTurns>,
): ServerProblem | null {
  const loaded = data?.pages.flat();
  const isMissing = turn !== null && loaded !== undefined && !loaded.some(({ id }) => id === turn);
  // The server knows whether it is worth the way: a link may be old, or misspelt.
  const { data: found, error: refusal } = useTurn(isMissing ? turn : null);
  const isHere = found?.turn.id === turn && found?.session.key === key;
  const oldest = loaded?.at(-1)?.seq ?? 0;
  const isEarlier = isMissing && isHere && found.turn.seq < oldest && hasNextPage;
  useEffect(() => {
    if (isEarlier && !isFetching && error === null) void fetchNextPage({ cancelRefetch: false });
  });

  if (!isMissing || isHere) return null;
  if (!found && !saysNone(refusal)) return refusal && asProblem(refusal);
  return new ServerProblem({ status: 404, detail: `This session has no turn ${turn}.` });
}

/** There is none, or it can not be the id of one. */
function saysNone(refusal: unknown): boolean {
  return refusal instanceof ServerProblem && (refusal.status === 404 || refusal.status === 400);
}
