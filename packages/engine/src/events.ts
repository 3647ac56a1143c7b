/** Streams the event log: first the past events, then new ones. */

import { setTimeout as delay } from "node:timers/promises";
import type { EventView } from "@reprise/core/api/reprise";
import type { Store } from "@reprise/store/store";

const batch = 500;
const pollInterval = 50;

export async function* watchEvents(
  store: Store,
  { after = 0, signal }: { after?: number; signal?: AbortSignal } = {},
): AsyncGenerator<EventView> {
  let last = after;
  while (!signal?.aborted) {
    const events = await store.readEvents({ after: last, limit: batch });
    for (const event of events) {
      yield event;
      last = event.seq;
    }
    if (events.length < batch)
      await delay(pollInterval, undefined, signal ? { signal } : {}).catch(() => {});
  }
}
