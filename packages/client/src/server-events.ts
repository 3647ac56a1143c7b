/** Reads `text/event-stream` from the body of a response. */

import { createParser, type EventSourceMessage } from "eventsource-parser";

export async function* readServerEvents(
  body: ReadableStream<Uint8Array>,
  /** Called for every chunk, also for one without an event. */
  onPiece?: () => void,
): AsyncGenerator<EventSourceMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onPiece?.();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    // A reader that stops early releases the connection; one that broke cannot be released.
    await reader.cancel().catch(() => {});
  }
}
