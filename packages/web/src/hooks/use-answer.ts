/** Answers one inbox item. Repeating the same answer changes nothing. */

import type { AnswerItem } from "@reprise/core/api/reprise";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { inbox, recorded } from "../reprise.ts";

export function useAnswer(item: string) {
  const queries = useQueryClient();
  return useMutation({
    // The server signs it with the caller's name.
    mutationFn: (answer: Omit<AnswerItem, "item" | "by">) =>
      inbox.answer({ ...answer, item } as AnswerItem, recorded),
    onSettled: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["inbox"] }),
        queries.invalidateQueries({ queryKey: ["item", item] }),
      ]);
    },
  });
}
