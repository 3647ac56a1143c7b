/** What depends on the time, from one timer for the whole page. Renders again only when the result changes. */

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

export function useClock<Result extends string | boolean>(read: (now: number) => Result): Result {
  return useSyncExternalStore(subscribe, () => read(timer === undefined ? Date.now() : now));
}
