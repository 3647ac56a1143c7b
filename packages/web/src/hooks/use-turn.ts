/** One turn with its attempts and their decisions. */

import { useQuery } from "@tanstack/react-query";
import { turns } from "../reprise.ts";

export function useTurn(turn: string | null) {
  return useQuery({
    queryKey: ["turn", turn],
    queryFn: () => turns.why(turn ?? ""),
    enabled: turn !== null,
  });
}
