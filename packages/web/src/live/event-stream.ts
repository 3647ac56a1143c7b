/**
 * Follows the server's events from a sequence number on, for as long as it is open. A lost connection
 * is taken up again after the last event that was seen, so none is missed and none comes twice.
 */

import type { EventView } from "@reprise/core/api/reprise";
import { EventReader } from "./sse.ts";
import { shown, whileShown } from "./visibility.ts";

export type StreamState = "connecting" | "open" | "lost";

export interface PageStreamOptions {
  readonly path: string;
  /** Undefined: from the present. */
  readonly after?: number;
  readonly onEvent: (event: EventView) => void;
  readonly onState?: (state: StreamState) => void;
  /** The server may end it, when nothing more can come. */
  readonly ends?: boolean;
}

/** The server says something every 15 seconds; a connection that is silent for longer is dead. */
const silence = 40_000;
const firstPause = 500;
const longestPause = 5_000;

/** Gives the function that closes it. */
export function followEvents(options: PageStreamOptions): () => void {
  const closed = new AbortController();
  void follow(options, closed.signal);
  return () => closed.abort();
}

async function follow(options: PageStreamOptions, closed: AbortSignal): Promise<void> {
  let last = options.after;
  let pause = firstPause;
  const take = (event: EventView) => {
    if (last !== undefined && event.seq <= last) return;
    last = event.seq;
    options.onEvent(event);
  };
  const tell = (state: StreamState) => {
    if (!closed.aborted) options.onState?.(state);
  };
  tell("connecting");
  for (;;) {
    await shown(closed);
    if (closed.aborted) return;
    const unseen = whileShown(closed);
    const ended = await connect(options.path, last, AbortSignal.any([closed, unseen]), take, () => {
      pause = firstPause;
      tell("open");
    });
    if (ended && options.ends) return;
    if (unseen.aborted) continue;
    tell("lost");
    await delay(pause, closed);
    pause = Math.min(pause * 2, longestPause);
  }
}

/** True when the server ended it, false when it was lost. */
async function connect(
  path: string,
  after: number | undefined,
  unwanted: AbortSignal,
  take: (event: EventView) => void,
  opened: () => void,
): Promise<boolean> {
  const dead = new AbortController();
  const signal = AbortSignal.any([unwanted, dead.signal]);
  let watch = setTimeout(() => dead.abort(), silence);
  try {
    const response = await fetch(after === undefined ? path : `${path}?after=${after}`, { signal });
    // Nothing more can come.
    if (response.status === 204) return true;
    if (!response.ok || response.body === null) return false;
    opened();
    const events = new EventReader();
    const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await chunks.read();
      if (done) return true;
      clearTimeout(watch);
      watch = setTimeout(() => dead.abort(), silence);
      for (const { data } of events.read(value)) take(JSON.parse(data));
    }
  } catch {
    return false;
  } finally {
    clearTimeout(watch);
  }
}

function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
