/** Runs, the newest first. */

import type { RunView } from "@reprise/core/api/reprise";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { runs } from "../reprise.ts";

export function useRuns({ status, limit }: { status?: RunView["status"]; limit: number }) {
  return useQuery({
    queryKey: ["runs", status ?? "", limit],
    queryFn: () => runs.list({ limit, ...(status ? { status } : {}) }),
    placeholderData: keepPreviousData,
  });
}
