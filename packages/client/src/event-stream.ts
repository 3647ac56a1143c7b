/** The event log of a server: a stream that breaks is taken up again behind the last event that came. */

import type { EventView } from "@reprise/core/api/reprise";
import { RepriseError } from "@reprise/core/errors/errors";
import { type Connection, isPassing, pauses } from "./connection.ts";
import { readServerEvents } from "./server-events.ts";

export interface StreamOptions {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Only what has a higher seq; null: only what happens from now on. */
  readonly after: number | null;
  readonly signal?: AbortSignal | undefined;
  /** Called when the server has noted from where on events come. */
  readonly onOpen?: () => void;
}

/** Each event once, in their order. */
export async function* streamEvents(
  connection: Connection,
  { path, query = {}, after, signal, onOpen }: StreamOptions,
): AsyncGenerator<EventView> {
  let last = after;
  let lost = pauses(connection.patience);
  while (!signal?.aborted) {
    const from = last === null ? {} : { after: String(last) };
    try {
      const response = await connection.open({
        method: "GET",
        path,
        query: { ...query, ...from },
        headers: { accept: "text/event-stream" },
        signal,
      });
      lost = pauses(connection.patience);
      onOpen?.();
      // A stream may end because the server does; that nothing more can come is said so.
      if (response.status === 204) return;
      for await (const { data } of readServerEvents(response.body!)) {
        const event: EventView = JSON.parse(data);
        if (last !== null && event.seq <= last) continue;
        last = event.seq;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error)) throw error;
      const pause = lost.next();
      if (pause.done) throw error;
      await connection.pause(pause.value, signal).catch((reason) => {
        if (!signal?.aborted) throw reason;
      });
    }
  }
}

/** Anything else is a connection that broke in the middle. */
function isFinal(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof RepriseError && !isPassing(error));
}
