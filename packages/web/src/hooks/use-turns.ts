/** The turns of a session, newest first, a page at a time. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { turns } from "../reprise.ts";

const limit = 20;

export function useTurns(key: string) {
  return useInfiniteQuery({
    // Under the session's own key: what makes the session stale makes its turns stale.
    queryKey: ["session", key, "turns"],
    queryFn: ({ pageParam }) =>
      turns.list({ key, limit, ...(pageParam ? { after: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: (page) => (page.length < limit ? undefined : page.at(-1)?.id),
  });
}
