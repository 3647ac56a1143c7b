/** A browser allows few connections to one server, so a page in a hidden tab keeps none. */

/** Aborts when the page is hidden. */
export function whileVisible(closed: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  const check = () => {
    if (document.visibilityState === "hidden") hidden.abort();
  };
  document.addEventListener("visibilitychange", check, {
    signal: AbortSignal.any([closed, hidden.signal]),
  });
  check();
  return hidden.signal;
}

/** Waits until the page is visible, or `closed`. */
export async function untilVisible(closed: AbortSignal): Promise<void> {
  if (document.visibilityState !== "hidden" || closed.aborted) return;
  await new Promise<void>((resolve) => {
    const done = new AbortController();
    const end = () => {
      done.abort();
      resolve();
    };
    const check = () => {
      if (document.visibilityState !== "hidden") end();
    };
    document.addEventListener("visibilitychange", check, { signal: done.signal });
    closed.addEventListener("abort", end, { signal: done.signal });
  });
}
