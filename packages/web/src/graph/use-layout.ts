/** The layout of a run's graph, computed once. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { useMemo } from "react";
import { type Layout, layout } from "./layout.ts";

export function useLayout({ graph }: RunDetail): Layout {
  // A run's graph never changes, but every answer of the server brings an equal copy.
  const text = JSON.stringify(graph);
  return useMemo(() => layout(JSON.parse(text)), [text]);
}
