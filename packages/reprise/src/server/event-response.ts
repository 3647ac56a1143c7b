/**
 * Writes event streams to their connections. The adapter itself would keep a promise for every chunk until the stream
 * ends, which does not happen while the reader stays connected.
 */

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Http2Bindings, HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

type Answering = (request: Request) => Response | Promise<Response>;
/** The adapter's bindings of a request. */
type Ends = HttpBindings | Http2Bindings;

/** How long a reader may leave pending events unread, in milliseconds. */
const usualPatience = 30_000;

export function writingEvents(
  answer: Answering,
  patience = usualPatience,
): (request: Request, ends: Ends) => Promise<Response> {
  return async (request, { outgoing }) => {
    const response = await answer(request);
    const isStream = /^text\/event-stream\b/.test(response.headers.get("content-type") ?? "");
    if (!isStream || response.body === null) return response;
    const { status, headers, body } = response;
    write({ status, headers, body }, outgoing as ServerResponse, patience);
    return RESPONSE_ALREADY_SENT;
  };
}

interface Streamed extends Pick<Response, "status" | "headers"> {
  readonly body: NonNullable<Response["body"]>;
}

function write(
  { status, headers, body }: Streamed,
  outgoing: ServerResponse,
  patience: number,
): void {
  outgoing.writeHead(status, Object.fromEntries(headers));
  outgoing.flushHeaders();
  pump(body, outgoing, patience).catch(() => {});
}

/**
 * Holds at most one chunk besides the connection's own buffer. A reader that reads nothing for too long is
 * disconnected; with `Last-Event-ID` it can continue where it was.
 */
async function pump(
  body: NonNullable<Response["body"]>,
  outgoing: ServerResponse,
  patience: number,
): Promise<void> {
  const reader = body.getReader();
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  gone.signal.addEventListener("abort", () => reader.cancel().catch(() => {}));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || gone.signal.aborted) break;
      if (outgoing.write(value)) continue;
      const late = AbortSignal.timeout(patience);
      await once(outgoing, "drain", { signal: AbortSignal.any([late, gone.signal]) });
    }
    outgoing.end();
  } catch {
    // A reader that leaves, or does not read, is not an error.
    outgoing.destroy();
  } finally {
    await reader.cancel().catch(() => {});
  }
}
