/**
 * Follows the server's events while the page is visible. The client reconnects after the last event that was seen,
 * so no event is missed and none comes twice.
 */

import { streamEvents } from "@reprise/client/event-stream";
import type { EventView } from "@reprise/core/api/reprise";
import { connection } from "../reprise.ts";
import { untilVisible, whileVisible } from "./visibility.ts";

export type StreamState = "connecting" | "open" | "lost";

export interface EventFollowOptions {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Null: from the present. */
  readonly after: number | null;
  readonly onEvent: (event: EventView) => void;
  readonly onState?: (state: StreamState) => void;
  /** Called when the server refuses the stream, as it does without a valid token. */
  readonly onRefused?: () => void;
}

/** After a refusal, as of a revoked token: trying again at once would not help. */
const refusalPause = 5_000;

/** Returns the function that closes it. */
export function followEvents(options: EventFollowOptions): () => void {
  const closed = new AbortController();
  void follow(options, closed.signal);
  return () => closed.abort();
}

async function follow(
  { path, query = {}, after, onEvent, onState, onRefused }: EventFollowOptions,
  closed: AbortSignal,
): Promise<void> {
  let last = after;
  const report = (state: StreamState) => {
    if (!closed.aborted) onState?.(state);
  };
  report("connecting");
  for (;;) {
    await untilVisible(closed);
    if (closed.aborted) return;
    const hidden = whileVisible(closed);
    try {
      const events = streamEvents(connection, {
        path,
        query,
        after: last,
        signal: AbortSignal.any([closed, hidden]),
        patience: Number.POSITIVE_INFINITY,
        onOpen: () => report("open"),
        onLost: () => report("lost"),
      });
      for await (const event of events) {
        last = event.seq;
        onEvent(event);
      }
      if (!hidden.aborted) return;
    } catch {
      report("lost");
      if (!closed.aborted) onRefused?.();
      await connection.pause(refusalPause, closed).catch(() => {});
    }
  }
}
