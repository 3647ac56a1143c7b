/** Events as a stream of server-sent events: each with its seq as id, so that a reader can continue after it. */

import type { EventView } from "@reprise/core/api/reprise";
import { UsageError } from "@reprise/core/errors/errors";

export interface EventResponseOptions {
  /** Milliseconds of silence after which a comment is sent, so that both sides notice a dead connection. */
  readonly heartbeat: number;
  /** Aborts when the reader is gone or the server stops. */
  readonly signal: AbortSignal;
  /** Ends the source of the events. */
  readonly stop: () => void;
}

/** How soon a reader reconnects after the stream broke, in milliseconds. */
const retry = 1000;

export function eventStream(
  events: AsyncIterable<EventView>,
  options: EventResponseOptions,
): Response {
  const { heartbeat, signal, stop } = options;
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<EventView>> | null = null;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${retry}\n\n`)),
      async pull(controller) {
        next ??= iterator.next();
        const found = await orSilence(next, heartbeat);
        if (found === null) return controller.enqueue(encoder.encode(": still here\n\n"));
        next = null;
        if (found.done || signal.aborted) controller.close();
        else controller.enqueue(encoder.encode(frame(found.value)));
      },
      cancel: stop,
    },
    { highWaterMark: 1 },
  );
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}

function frame(event: EventView): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

async function orSilence<Found>(next: Promise<Found>, heartbeat: number): Promise<Found | null> {
  const silence = Promise.withResolvers<null>();
  const timer = setTimeout(() => silence.resolve(null), heartbeat);
  try {
    return await Promise.race([next, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The event after which a reader continues: `Last-Event-ID`, or the query; null means from now on. */
export function cursorOf(
  lastEventId: string | undefined,
  after: string | undefined,
): number | null {
  const text = lastEventId || after;
  if (text === undefined || text === "") return null;
  const seq = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(seq)) return seq;
  throw new UsageError(
    "bad-cursor",
    `"${text.slice(0, 60)}" is not the number of an event.`,
    "Use the id of the last event that you have, or 0 for all of them.",
  );
}
