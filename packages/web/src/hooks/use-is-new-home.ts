/** True in a home where nothing was ever started. */

import { useQuery } from "@tanstack/react-query";
import { runs, sessions } from "../reprise.ts";

export function useIsNewHome(): boolean {
  const { data } = useQuery({
    queryKey: ["new-home"],
    // A home that is in use stays so.
    enabled: (query) => query.state.data !== false,
    queryFn: async () => {
      const found = await Promise.all([runs.list({ limit: 1 }), sessions.list({ limit: 1 })]);
      return found.every((list) => list.length === 0);
    },
  });
  return data === true;
}
