/** Holds and releases a session, archives and revives it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { sessions } from "../api.ts";

export type SessionAction =
  | { readonly do: "hold" | "archive" | "revive" }
  | { readonly do: "release"; readonly by: string };

export function useSessionAction(key: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (action: SessionAction) =>
      action.do === "release" ? sessions.release(key, action.by) : sessions[action.do](key),
    onSettled: () => queries.invalidateQueries({ queryKey: ["session", key] }),
  });
}
