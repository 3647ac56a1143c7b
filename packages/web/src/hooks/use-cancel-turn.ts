/** Cancels a turn: ends its agent, and takes back what it asked. Its session stays. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { turns } from "../reprise.ts";

export function useCancelTurn(turn: string, sessionKey: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => turns.cancel(turn),
    onSettled: () => queries.invalidateQueries({ queryKey: ["session", sessionKey] }),
  });
}
