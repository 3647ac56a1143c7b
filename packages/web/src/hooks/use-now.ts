/** The current time, from one timer that everything on the page shares. */

import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Changes once per `every` milliseconds. */
export function useNow(every = 10_000): number {
  return useSyncExternalStore(subscribe, () => {
    const current = timer === undefined ? Date.now() : now;
    return current - (current % every);
  });
}
