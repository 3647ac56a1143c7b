/** What a run waits for, with a link to answer it. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { useInbox } from "../../hooks/use-inbox.ts";

export function Waiting({ run }: { readonly run: RunDetail }) {
  const { data = [] } = useInbox();
  const items = data.filter((item) => item.run === run.id);
  if (items.length === 0) return null;
  return (
    <ul className="space-y-1 rounded-md border border-care bg-care-soft px-3 py-2 text-sm text-care">
      {items.map((item) => (
        <li key={item.id}>
          Waiting for an answer:{" "}
          <Link href={`/inbox/${item.id}`} className="font-medium underline">
            {item.title}
          </Link>
        </li>
      ))}
    </ul>
  );
}
