/** Sessions, the last used first, a page at a time; `q` is a part of the key or of the agent's name. */

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { sessions } from "../reprise.ts";

const limit = 50;

export function useSessions(q: string) {
  return useInfiniteQuery({
    queryKey: ["sessions", q],
    queryFn: ({ pageParam }) =>
      sessions.list({
        order: "used",
        limit,
        ...(q && { q }),
        ...(pageParam && { after: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: (page) => (page.length < limit ? undefined : page.at(-1)?.key),
    placeholderData: keepPreviousData,
  });
}
