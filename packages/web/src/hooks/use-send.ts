/** Sends a turn. */

import type { Send } from "@reprise/core/api/reprise";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { recorded, sessions } from "../reprise.ts";

export function useSend(key: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (send: Pick<Send, "prompt" | "continuity">) =>
      sessions.send({ ...send, key }, recorded),
    onSettled: () => queries.invalidateQueries({ queryKey: ["session", key] }),
  });
}
