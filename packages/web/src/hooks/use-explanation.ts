/** What a turn would decide now; asked when a person wants to know, since it looks at everything. */

import { useMutation } from "@tanstack/react-query";
import { sessions } from "../reprise.ts";

export function useExplanation(key: string) {
  return useMutation({ mutationFn: () => sessions.explain({ key }) });
}
