/** What a turn would decide now. Asked only on demand, since it checks everything. */

import { useMutation } from "@tanstack/react-query";
import { sessions } from "../reprise.ts";

export function useExplanation(key: string) {
  return useMutation({ mutationFn: () => sessions.explain({ key }) });
}
