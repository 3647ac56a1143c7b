/** Whether the sessions that Reprise did not start are kept, and turns that on. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { protect } from "../reprise.ts";

const queryKey = ["protect"];

export function useProtect() {
  return useQuery({ queryKey, queryFn: () => protect.status(), staleTime: 60_000 });
}

/** The server's next scan comes within a minute; this one is at once. */
export function useTurnOnProtect() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      await protect.set({ on: true });
      await protect.scan();
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
}
