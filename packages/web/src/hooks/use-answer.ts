/** Answers one item, once: every try of the same answer carries the same key. */

import type { AnswerItem } from "@reprise/core/api/reprise";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { inbox } from "../api.ts";
import { randomId } from "../random-id.ts";

export function useAnswer(item: string) {
  const queries = useQueryClient();
  const keys = useRef(new Map<string, string>());
  return useMutation({
    mutationFn: (answer: Omit<AnswerItem, "item" | "by">) => {
      const said = JSON.stringify(answer);
      const idempotencyKey = keys.current.get(said) ?? randomId();
      keys.current.set(said, idempotencyKey);
      return inbox.answer({ ...answer, item }, { idempotencyKey });
    },
    onSettled: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["inbox"] }),
        queries.invalidateQueries({ queryKey: ["item", item] }),
      ]);
    },
  });
}
