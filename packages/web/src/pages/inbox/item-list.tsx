/** Inbox items, one under the other. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import { useId } from "react";
import { Link } from "wouter";
import { Ago } from "../../parts/ago.tsx";
import { row } from "../../parts/row.ts";
import { resolutionWords } from "./resolution.ts";

interface ItemListProps {
  readonly label: string;
  readonly items: readonly InboxItemView[];
  readonly shown: string | null;
}

export function ItemList({ label, items, shown }: ItemListProps) {
  const heading = useId();
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading} className="mb-2 text-sm font-semibold text-muted">
        {label} ({items.length})
      </h2>
      <ul className="space-y-2">
        {items.map((item) => (
          <li key={item.id}>
            <Link
              {...row}
              href={`/inbox/${item.id}`}
              aria-current={item.id === shown ? "true" : undefined}
              className={`block rounded-lg border bg-surface px-3 py-2.5 hover:border-accent ${item.id === shown ? "border-accent" : "border-line"}`}
            >
              <span className="block text-sm font-medium">{item.title}</span>
              <span className="mt-0.5 flex flex-wrap gap-x-2 text-xs text-muted">
                <span>{item.kind}</span>
                {item.workflow && <span>{item.workflow}</span>}
                {item.resolution ? (
                  <span>{resolutionWords(item, item.resolution)}</span>
                ) : (
                  <Ago at={item.openedAt} />
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
