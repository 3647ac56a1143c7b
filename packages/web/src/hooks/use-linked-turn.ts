/** Loads earlier turns until the one that the address names is among them; returns why it cannot. */

import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { useEffect } from "react";
import { useTurn } from "./use-turn.ts";
import type { useTurns } from "./use-turns.ts";

export function useLinkedTurn(
  key: string,
  turn: string | null,
  { data, error, hasNextPage, isFetching, fetchNextPage }: ReturnType<typeof useTurns>,
): { readonly message: string } | null {
  const loaded = data?.pages.flat();
  const isMissing = turn !== null && loaded !== undefined && !loaded.some(({ id }) => id === turn);
  // Ask the server first: a link may be old, or misspelt.
  const { data: found, error: refusal } = useTurn(isMissing ? turn : null);
  const isHere = found?.turn.id === turn && found?.session.key === key;
  const oldest = loaded?.at(-1)?.seq ?? 0;
  const isEarlier = isMissing && isHere && found.turn.seq < oldest && hasNextPage;
  useEffect(() => {
    if (isEarlier && !isFetching && error === null) void fetchNextPage({ cancelRefetch: false });
  });

  if (!isMissing || isHere) return null;
  if (!found && !saysNone(refusal)) return refusal;
  return { message: `This session has no turn ${turn}.` };
}

/** There is no such turn, or the text cannot be an id. */
function saysNone(refusal: unknown): boolean {
  return refusal instanceof NotFoundError || refusal instanceof UsageError;
}
