/** What a waiting turn or gate asks, answered where it is seen. */

import { Link } from "wouter";
import { useItem } from "../../hooks/use-item.ts";
import { LoadedPart } from "../../parts/loaded.tsx";
import { AnswerItemForm } from "./answer-item-form.tsx";

export function ItemHere({ id }: { readonly id: string }) {
  const query = useItem(id);
  return (
    <section aria-label="Waits for an answer" className="space-y-3">
      <LoadedPart query={query}>
        {(item) => (
          <>
            <p className="flex flex-wrap items-baseline justify-between gap-2">
              <strong className="font-semibold">
                {item.kind === "question" ? "The agent asks" : item.title}
              </strong>
              <Link href={`/inbox/${item.id}`} className="text-sm text-accent underline">
                Open in inbox
              </Link>
            </p>
            {item.message && <p className="text-sm whitespace-pre-wrap">{item.message}</p>}
            {item.resolution === null && <AnswerItemForm item={item} />}
          </>
        )}
      </LoadedPart>
    </section>
  );
}
