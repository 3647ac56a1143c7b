/** All sessions, by their keys. */

import { useId, useState } from "react";
import { useSessions } from "../../hooks/use-sessions.ts";
import { useTitle } from "../../hooks/use-title.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SessionTable } from "./session-table.tsx";

export function SessionsPage() {
  useTitle("Sessions");
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, isPending } = useSessions();
  const [wanted, setWanted] = useState("");
  const field = useId();
  const all = data?.pages.flat() ?? [];
  const shown = all.filter(({ key, agent }) => `${key} ${agent}`.includes(wanted.trim()));
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Sessions</h1>
        <div className="flex flex-wrap items-center gap-2">
          <label htmlFor={field} className="text-sm text-muted">
            Key or agent
          </label>
          <input
            id={field}
            type="search"
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
            className="min-h-9 rounded-md border border-line bg-surface px-3 py-1.5 text-sm"
          />
        </div>
      </div>
      {isPending && (
        <p role="status" className="text-sm text-muted">
          Loading …
        </p>
      )}
      {!data && <ProblemNote error={error} />}
      {data && shown.length === 0 && (
        <Empty title={all.length === 0 ? "There is no session yet." : "No session fits."}>
          {all.length === 0 && "A run or reprise send makes the first one."}
        </Empty>
      )}
      {shown.length > 0 && <SessionTable sessions={shown} />}
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}
