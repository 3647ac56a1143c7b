/** One session with its recent turns. */

import { useQuery } from "@tanstack/react-query";
import { sessions } from "../reprise.ts";

export function useSession(key: string) {
  return useQuery({ queryKey: ["session", key], queryFn: () => sessions.show(key) });
}
