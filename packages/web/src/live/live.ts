/** The page's one connection to the event log: what events make stale is asked for again, together. */

import type { InboxItemDetail } from "@reprise/core/api/reprise";
import type { QueryClient } from "@tanstack/react-query";
import { followEvents, type StreamState } from "./event-stream.ts";
import { concerns, type QueryKey, staleAfter } from "./stale.ts";

export interface Live {
  readonly state: () => StreamState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly close: () => void;
}

/** Events come in bursts: one request after a burst is enough. Lists are long and change with every event. */
const pause = 120;
const listPause = 1_000;
const lists = ["runs", "sessions"];

export function openLive(queries: QueryClient): Live {
  let state: StreamState = "connecting";
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const listeners = new Set<() => void>();

  const refreshSoon = (queryKey: QueryKey) => {
    const name = JSON.stringify(queryKey);
    if (timers.has(name)) return;
    const timer = setTimeout(
      () => {
        timers.delete(name);
        void queries.invalidateQueries({ queryKey });
      },
      lists.includes(queryKey[0]) ? listPause : pause,
    );
    timers.set(name, timer);
  };
  const close = followEvents({
    path: "/v1/events",
    after: null,
    onEvent(event) {
      for (const key of staleAfter(event)) refreshSoon(key);
      for (const [key, item] of queries.getQueriesData<InboxItemDetail>({ queryKey: ["item"] }))
        if (item && concerns(event, item)) refreshSoon(key as QueryKey);
    },
    onRefused: () => refreshSoon(["caller"]),
    onState(next) {
      // Events before the connection was open were not seen.
      if (next === "open") void queries.invalidateQueries();
      state = next;
      for (const listener of listeners) listener();
    },
  });
  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
      close();
    },
  };
}
