/**
 * Whether anybody looks. A browser has few connections to one server, so a page that nobody looks at
 * keeps none.
 */

/** Aborts when the page is hidden. */
export function whileShown(closed: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  const look = () => {
    if (document.visibilityState === "hidden") hidden.abort();
  };
  document.addEventListener("visibilitychange", look, {
    signal: AbortSignal.any([closed, hidden.signal]),
  });
  look();
  return hidden.signal;
}

/** Waits until the page is shown, or `closed`. */
export async function shown(closed: AbortSignal): Promise<void> {
  if (document.visibilityState !== "hidden" || closed.aborted) return;
  await new Promise<void>((resolve) => {
    const done = new AbortController();
    const end = () => {
      done.abort();
      resolve();
    };
    const look = () => {
      if (document.visibilityState !== "hidden") end();
    };
    document.addEventListener("visibilitychange", look, { signal: done.signal });
    closed.addEventListener("abort", end, { signal: done.signal });
  });
}
