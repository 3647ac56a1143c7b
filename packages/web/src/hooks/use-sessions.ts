/** Sessions in the order of their keys, a page at a time. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { sessions } from "../reprise.ts";

const limit = 50;

export function useSessions() {
  return useInfiniteQuery({
    queryKey: ["sessions"],
    queryFn: ({ pageParam }) =>
      sessions.list({ limit, ...(pageParam ? { after: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: (page) => (page.length < limit ? undefined : page.at(-1)?.key),
  });
}
