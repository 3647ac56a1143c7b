/** Cancels a run, reruns it, or continues a stalled one. */

import type { Rerun } from "@reprise/core/api/reprise";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { recorded, runs } from "../reprise.ts";

export type RunAction =
  | { readonly do: "cancel" | "continue" }
  | ({ readonly do: "rerun" } & Omit<Rerun, "run">);

export function useRunAction(run: string) {
  const queries = useQueryClient();
  return useMutation<unknown, Error, RunAction>({
    mutationFn: ({ do: what, ...rest }) => {
      if (what === "cancel") return runs.cancel({ run });
      return what === "rerun"
        ? runs.rerun({ run, ...rest }, recorded)
        : runs.continue(run, recorded);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["run", run] }),
  });
}
