/** All sessions, the last used first; the server searches all of them. */

import { useEffect, useId, useState } from "react";
import { useSearchParams } from "wouter";
import { useSessions } from "../../hooks/use-sessions.ts";
import { useSettled } from "../../hooks/use-settled.ts";
import { useTitle } from "../../hooks/use-title.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { LoadingNote } from "../../parts/loading.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { ProtectLine } from "./protect-line.tsx";
import { SessionTable } from "./session-table.tsx";

export function SessionsPage() {
  useTitle("Sessions");
  const [query, setQuery] = useSearchParams();
  const [typed, setTyped] = useState(query.get("q") ?? "");
  const wanted = useSettled(typed.trim());
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, isPending } =
    useSessions(wanted);
  const field = useId();
  const shown = data?.pages.flat() ?? [];
  useEffect(() => {
    setQuery(wanted === "" ? {} : { q: wanted }, { replace: true });
  }, [wanted, setQuery]);
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Sessions</h1>
        <div className="flex flex-wrap items-center gap-2">
          <label htmlFor={field} className="text-sm text-muted">
            Search key or agent
          </label>
          <input
            id={field}
            type="search"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="min-h-9 rounded-md border border-line bg-surface px-3 py-1.5 text-sm"
          />
        </div>
      </div>
      {isPending && <LoadingNote />}
      {!data && <ProblemNote error={error} />}
      {data && shown.length === 0 && (
        <Empty title={wanted === "" ? "No sessions yet" : `No matches for “${wanted}”`}>
          {wanted === "" && "A run, or reprise send, creates the first one."}
        </Empty>
      )}
      {shown.length > 0 && <SessionTable sessions={shown} />}
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      <ProtectLine />
    </div>
  );
}
