/** The inbox: open items, and beside them the selected one. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import { useState } from "react";
import { useInbox } from "../../hooks/use-inbox.ts";
import { useIsNewHome } from "../../hooks/use-is-new-home.ts";
import { useTitle } from "../../hooks/use-title.ts";
import { Empty } from "../../parts/empty.tsx";
import { LoadedPart } from "../../parts/loaded.tsx";
import { Welcome } from "../welcome/welcome.tsx";
import { ItemList } from "./item-list.tsx";
import { ItemView } from "./item-view.tsx";

const recentlyAnswered = 10;

export function InboxPage({ item }: { readonly item: string | null }) {
  useTitle("Inbox");
  const open = useInbox();
  const all = useInbox({ all: true });
  const isNew = useIsNewHome();
  return (
    <LoadedPart query={open}>
      {(items) => {
        if (items.length === 0 && item === null && isNew) return <Welcome />;
        const answered = (all.data ?? [])
          .filter(({ resolution }) => resolution !== null)
          .slice(0, recentlyAnswered);
        return <Inbox items={items} answered={answered} item={item} />;
      }}
    </LoadedPart>
  );
}

interface InboxProps {
  readonly items: readonly InboxItemView[];
  readonly answered: readonly InboxItemView[];
  readonly item: string | null;
}

function Inbox({ items, answered, item }: InboxProps) {
  // An item stays on screen when it is answered, so that you see the answer.
  const [first, setFirst] = useState(items[0]?.id ?? null);
  if (first === null && items[0]) setFirst(items[0].id);
  const shown = item ?? first;
  return (
    <div className="grid gap-5 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <div className={`min-w-0 space-y-6 ${item === null ? "" : "hidden lg:block"}`}>
        <h1 className="text-xl font-semibold">Inbox</h1>
        {items.length === 0 ? (
          <Empty title="You're all caught up.">
            Approvals, forms and questions from agents appear here.
          </Empty>
        ) : (
          <ItemList label="Open" items={items} shown={shown} />
        )}
        {answered.length > 0 && <ItemList label="Answered" items={answered} shown={shown} />}
      </div>
      {shown !== null && (
        <div className={`min-w-0 ${item === null ? "hidden lg:block" : ""}`}>
          <ItemView key={shown} id={shown} />
        </div>
      )}
    </div>
  );
}
