/** The state of the home, the database and the agents' programs. */

import { useQuery } from "@tanstack/react-query";
import { doctor } from "../reprise.ts";

export function useDoctor() {
  return useQuery({ queryKey: ["doctor"], queryFn: () => doctor(), staleTime: 60_000 });
}
