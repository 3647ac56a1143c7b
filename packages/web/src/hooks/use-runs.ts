/** Runs, newest first, a page at a time. */

import type { RunView } from "@reprise/core/api/reprise";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { runs } from "../reprise.ts";

const limit = 50;

export function useRuns(status: RunView["status"] | undefined) {
  return useInfiniteQuery({
    queryKey: ["runs", status ?? ""],
    queryFn: ({ pageParam }) =>
      runs.list({ limit, ...(status && { status }), ...(pageParam && { after: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: (page) => (page.length < limit ? undefined : page.at(-1)?.id),
    placeholderData: keepPreviousData,
  });
}
