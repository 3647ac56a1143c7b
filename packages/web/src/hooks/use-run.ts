/** One run with all of its executions. */

import { useQuery } from "@tanstack/react-query";
import { runs } from "../reprise.ts";

export function useRun(run: string) {
  return useQuery({ queryKey: ["run", run], queryFn: () => runs.show(run) });
}
