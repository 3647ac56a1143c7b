/** One inbox item: what is asked, what would happen to its sessions, and the answer. */

import type { InboxItemDetail } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { useClock } from "../../hooks/use-clock.ts";
import { useItem } from "../../hooks/use-item.ts";
import { Ago } from "../../parts/ago.tsx";
import { LoadedPart } from "../../parts/loaded.tsx";
import { dateTime } from "../../parts/time.ts";
import { Values } from "../../parts/values.tsx";
import { AnswerItemForm } from "./answer-item-form.tsx";
import { resolutionWords } from "./resolution.ts";
import { Resumability } from "./resumability.tsx";

export function ItemView({ id }: { readonly id: string }) {
  const query = useItem(id);
  return <LoadedPart query={query}>{(item) => <Item item={item} />}</LoadedPart>;
}

function Item({ item }: { readonly item: InboxItemDetail }) {
  const { title, message, kind, run, workflow, execution, resolution, deadline, answerers } = item;
  return (
    <article className="rounded-lg border border-line bg-surface">
      <header className="border-b border-line p-4">
        <p className="mb-2 text-sm lg:hidden">
          <Link href="/" className="text-accent underline">
            Inbox
          </Link>
        </p>
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-sm text-muted">
          <span>{kind}</span>
          {run && (
            <Link href={runLink(run, execution)} className="text-accent underline">
              {workflow ?? run}
            </Link>
          )}
          <span>
            opened <Ago at={item.openedAt} />
          </span>
          {deadline !== null && resolution === null && <Deadline at={deadline} />}
          {answerers.length > 0 && <span>for {answerers.join(", ")}</span>}
        </p>
      </header>
      <div className="space-y-5 p-4">
        {message && <p className="text-sm whitespace-pre-wrap">{message}</p>}
        {resolution === null ? (
          <Open item={item} />
        ) : (
          <Settled item={item} resolution={resolution} />
        )}
      </div>
    </article>
  );
}

/** The server settles an overdue item within a second; if it does not, the reader has to know. */
function Deadline({ at }: { readonly at: number }) {
  const hasPassed = useClock((now) => now > at);
  return hasPassed ? (
    <span className="text-care">
      overdue: the deadline passed <Ago at={at} /> and the server has not settled it yet
    </span>
  ) : (
    <span>due {dateTime(at)}</span>
  );
}

function Open({ item }: { readonly item: InboxItemDetail }) {
  return (
    <>
      <Resumability explanations={item.resumability} />
      <AnswerItemForm item={item} />
    </>
  );
}

interface SettledProps {
  readonly item: InboxItemDetail;
  readonly resolution: NonNullable<InboxItemDetail["resolution"]>;
}

function Settled({ item, resolution }: SettledProps) {
  const { comment, values, at } = resolution;
  return (
    <div role="status" className="space-y-3 rounded-md bg-sunken p-3 text-sm">
      <p>
        <strong>{resolutionWords(item, resolution)}</strong> · <Ago at={at} />
      </p>
      {comment && <p className="whitespace-pre-wrap">{comment}</p>}
      {Object.keys(values).length > 0 && <Values values={values} />}
    </div>
  );
}

function runLink(run: string, execution: string | null): string {
  const path = `/runs/${encodeURIComponent(run)}`;
  return execution === null ? path : `${path}?execution=${encodeURIComponent(execution)}`;
}
