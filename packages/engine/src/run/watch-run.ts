/** Streams the events of a run: first the past ones, then new ones until it has ended. */

import type { EventView } from "@reprise/core/api/reprise";
import { nextChange } from "../changes.ts";
import type { Engine } from "../engine.ts";
import { findRun } from "./find-run.ts";
import { streamOf } from "./stream.ts";

const batch = 500;

export interface WatchRun {
  readonly after?: number;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

export async function* watchRun(
  engine: Engine,
  wanted: string,
  { after = 0, follow = true, signal }: WatchRun = {},
): AsyncGenerator<EventView> {
  const { id } = await findRun(engine, wanted);
  let mark = 0;
  for (let last = after; !signal?.aborted; ) {
    mark = await nextChange(engine.store, mark, { signal });
    // Read before the events: if the run has ended by now, all of its events are there.
    const { endedAt } = await findRun(engine, id);
    const events = await engine.store.readEvents({
      stream: streamOf(id),
      after: last,
      limit: batch,
    });
    for (const event of events) {
      yield event;
      last = event.seq;
    }
    // More of them are there already.
    if (events.length === batch) mark = 0;
    else if (endedAt !== null || !follow) return;
  }
}
