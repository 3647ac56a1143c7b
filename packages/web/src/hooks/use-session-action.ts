/** Holds and releases a session, archives and revives it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { sessions } from "../reprise.ts";

export type SessionAction =
  | { readonly do: "hold" | "archive" | "revive" }
  | { readonly do: "release"; readonly by: string };

export function useSessionAction(key: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (action: SessionAction) => {
      if (action.do === "hold") return sessions.hold({ key });
      if (action.do === "release") return sessions.release({ key, by: action.by });
      return sessions[action.do](key);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["session", key] }),
  });
}
