/** Reads the event log of a server: a broken stream is reopened after the last event that arrived. */

import type { EventView } from "@reprise/core/api/reprise";
import { RepriseError } from "@reprise/core/errors/errors";
import { type Connection, isPassing, pauses } from "./connection.ts";
import { readServerEvents } from "./server-events.ts";

export interface StreamOptions {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Only events with a higher seq; null: only new ones. */
  readonly after: number | null;
  readonly signal?: AbortSignal | undefined;
  /** How long a broken stream is retried, in milliseconds; that of the connection unless given. */
  readonly patience?: number;
  /** Called when the server has opened the stream. */
  readonly onOpen?: () => void;
  /** Called for each failed attempt, before the pause that follows. */
  readonly onLost?: () => void;
}

/** The server writes something every 15 seconds; a connection that is silent for longer is dead. */
const maxSilence = 40_000;

/** Each event once, in order. */
export async function* streamEvents(
  connection: Connection,
  options: StreamOptions,
): AsyncGenerator<EventView> {
  const { path, query = {}, after, signal, onOpen, onLost } = options;
  const { patience = connection.patience } = options;
  let last = after;
  let lost = pauses(patience);
  while (!signal?.aborted) {
    const from = last === null ? {} : { after: String(last) };
    const silence = new Silence(maxSilence);
    try {
      const response = await connection.open({
        method: "GET",
        path,
        query: { ...query, ...from },
        headers: { accept: "text/event-stream" },
        signal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]),
      });
      lost = pauses(patience);
      onOpen?.();
      // A stream also ends when the server stops; 204 says that no more events can come.
      if (response.status === 204) return;
      for await (const { data } of readServerEvents(response.body!, silence.broken)) {
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
      onLost?.();
      await connection.pause(pause.value, signal).catch((reason) => {
        if (!signal?.aborted) throw reason;
      });
    } finally {
      silence.end();
    }
  }
}

/** Aborts after a silence that is too long. */
class Silence {
  readonly #tooLong = new AbortController();
  readonly #most: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly signal = this.#tooLong.signal;

  constructor(most: number) {
    this.#most = most;
    this.broken();
  }

  readonly broken = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tooLong.abort(), this.#most);
  };

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Any other error means that the connection broke. */
function isFinal(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof RepriseError && !isPassing(error));
}
