/** The state of a run, folded from its stored events. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { Run } from "@reprise/store/contract/runs";
import { apply } from "@reprise/workflow/run/apply";
import { emptyState } from "@reprise/workflow/run/fold";
import type { RunState } from "@reprise/workflow/run/state";
import type { Engine } from "../engine.ts";
import { type LoadedGraph, pinnedGraph } from "./graphs.ts";
import { fromStored, readStream } from "./stream.ts";

export interface KnownRun {
  readonly loaded: LoadedGraph;
  readonly state: RunState;
  /** The run as it was stored, if its end was written here. */
  readonly ended?: Run;
}

export async function readRunState(engine: Engine, run: string): Promise<KnownRun> {
  const state = emptyState(run);
  let loaded: LoadedGraph | null = null;
  for await (const stored of readStream(engine.store, run)) {
    const event = fromStored(stored);
    if (event.type === "run.started")
      loaded ??= await pinnedGraph(run, { ...event, runners: engine.providers.runners });
    if (loaded) apply(loaded.graph, state, event, { seq: stored.streamSeq, at: stored.at });
  }
  if (loaded) return { loaded, state };
  throw new NotFoundError(
    "no-run",
    `There is no run ${run}.`,
    `List them with ${verb("runs.list")}.`,
  );
}
