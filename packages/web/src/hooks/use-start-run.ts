/** Starts a workflow and shows its run. */

import type { StartRun } from "@reprise/core/api/reprise";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { recorded, runs } from "../reprise.ts";

export function useStartRun() {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (start: StartRun) => runs.start(start, recorded),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ["runs"] });
      navigate(`/runs/${id}`);
    },
  });
}
