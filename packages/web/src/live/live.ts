/** The page's one connection to the event log: what it makes stale is asked for again, together. */

import type { QueryClient } from "@tanstack/react-query";
import { followEvents, type StreamState } from "./event-stream.ts";
import { type QueryKey, staleAfter } from "./stale.ts";

export interface Live {
  readonly state: () => StreamState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly close: () => void;
}

/** Events come in bursts; one question after a burst is enough. */
const burst = 120;

export function openLive(queries: QueryClient): Live {
  let state: StreamState = "connecting";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stale = new Map<string, QueryKey>();
  const listeners = new Set<() => void>();

  const refresh = () => {
    timer = undefined;
    for (const queryKey of stale.values()) void queries.invalidateQueries({ queryKey });
    stale = new Map();
  };
  const close = followEvents({
    path: "/v1/events",
    after: null,
    onEvent(event) {
      for (const key of staleAfter(event)) stale.set(JSON.stringify(key), key);
      timer ??= setTimeout(refresh, burst);
    },
    onState(next) {
      // What happened before the connection stood, nobody told.
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
      clearTimeout(timer);
      close();
    },
  };
}
