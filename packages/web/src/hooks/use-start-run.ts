/** Starts a workflow under an id of our own, and shows the run. */

import type { StartRun } from "@reprise/core/api/reprise";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { runs } from "../api.ts";
import { randomId } from "../random-id.ts";

export function useStartRun() {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (start: StartRun) => {
      const id = randomId();
      await runs.start({ ...start, id });
      return id;
    },
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ["runs"] });
      navigate(`/runs/${id}`);
    },
  });
}
