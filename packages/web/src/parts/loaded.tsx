/** What a question to the server gives: its answer, that it is awaited, or why there is none. */

import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ProblemNote } from "./problem-note.tsx";

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** Old data stays while the server is away: the page's head says so. */
export function LoadedPart<Data>({ query, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ProblemNote error={query.error} />;
  return (
    <p role="status" className="py-6 text-sm text-muted">
      Loading …
    </p>
  );
}
