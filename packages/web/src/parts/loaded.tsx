/** The result of a query, or that it is loading, or its error. */

import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LoadingNote } from "./loading.tsx";
import { ProblemNote } from "./problem-note.tsx";

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** Old data stays while the server is away; the header says so. */
export function LoadedPart<Data>({ query, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ProblemNote error={query.error} />;
  return <LoadingNote />;
}
