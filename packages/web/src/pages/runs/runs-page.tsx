/** All runs, newest first, filtered by status. */

import type { RunView } from "@reprise/core/api/reprise";
import { useId } from "react";
import { Link, useSearchParams } from "wouter";
import { useMay } from "../../hooks/use-caller.ts";
import { useRuns } from "../../hooks/use-runs.ts";
import { useTitle } from "../../hooks/use-title.ts";
import { Button, plainButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { LoadedPart } from "../../parts/loaded.tsx";
import { RunTable } from "./run-table.tsx";

const statuses: readonly RunView["status"][] = [
  "running",
  "waiting",
  "stuck",
  "done",
  "failed",
  "rejected",
  "cancelled",
];

export function RunsPage() {
  useTitle("Runs");
  const [query, setQuery] = useSearchParams();
  const status = statuses.find((each) => each === query.get("status"));
  const runs = useRuns(status);
  const mayStart = useMay("operator");
  const field = useId();
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Runs</h1>
        <div className="flex flex-wrap items-center gap-3">
          <label htmlFor={field} className="text-sm text-muted">
            Status
          </label>
          <select
            id={field}
            value={status ?? ""}
            onChange={(event) => setQuery(event.target.value ? { status: event.target.value } : {})}
            className="min-h-9 rounded-md border border-line bg-surface px-2 py-1.5 text-sm"
          >
            <option value="">all</option>
            {statuses.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
          {mayStart && (
            <Link href="/start" className={plainButton}>
              Start a run
            </Link>
          )}
        </div>
      </div>
      <LoadedPart query={runs}>
        {({ pages }) => {
          const list = pages.flat();
          if (list.length > 0) return <RunTable runs={list} />;
          return (
            <Empty title={status ? `No ${status} runs` : "No runs yet"}>
              {mayStart && (
                <Link href="/start" className="text-accent underline">
                  Start one
                </Link>
              )}
            </Empty>
          );
        }}
      </LoadedPart>
      {runs.hasNextPage && (
        <Button disabled={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}
