/** Runs, the newest first. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { runs } from "../api.ts";

export function useRuns({ status, limit }: { status?: string; limit: number }) {
  return useQuery({
    queryKey: ["runs", status ?? "", limit],
    queryFn: () => runs.list({ limit, ...(status ? { status } : {}) }),
    placeholderData: keepPreviousData,
  });
}
