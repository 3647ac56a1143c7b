/** What waits for a person, oldest first; with `all`, what was answered as well, newest first. */

import { useQuery } from "@tanstack/react-query";
import { inbox } from "../reprise.ts";

export function useInbox({ all = false } = {}) {
  return useQuery({
    queryKey: ["inbox", all ? "all" : "open"],
    queryFn: () => inbox.list(all ? { all } : {}),
  });
}
