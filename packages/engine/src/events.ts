/** Streams the event log: first the past events, then new ones. */

import type { EventView } from "@reprise/core/api/reprise";
import type { Store } from "@reprise/store/store";
import { nextChange } from "./changes.ts";

const batch = 500;

export async function* watchEvents(
  store: Store,
  { after = 0, signal }: { after?: number; signal?: AbortSignal } = {},
): AsyncGenerator<EventView> {
  let last = after;
  let mark = 0;
  while (!signal?.aborted) {
    mark = await nextChange(store, mark, { signal });
    const events = await store.readEvents({ after: last, limit: batch });
    for (const event of events) {
      yield event;
      last = event.seq;
    }
    // More of them are there already.
    if (events.length === batch) mark = 0;
  }
}
