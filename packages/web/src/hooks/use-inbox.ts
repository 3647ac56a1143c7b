/** Open inbox items, oldest first; with `all`, settled ones as well, newest first. */

import { useQuery } from "@tanstack/react-query";
import { inbox } from "../reprise.ts";

/** As many of all as the page shows settled ones, beside those that are still open. */
const limit = 60;

export function useInbox({ all = false } = {}) {
  return useQuery({
    queryKey: ["inbox", all ? "all" : "open"],
    queryFn: () => inbox.list(all ? { all, limit } : {}),
  });
}
