/**
 * Writes streams of events to their connections. The adapter itself would keep a promise for every piece
 * until the stream ends, which it never does for a reader who stays.
 */

import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { Http2Bindings, HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

type Answering = (request: Request) => Response | Promise<Response>;
/** What the adapter hands over beside the request. */
type Ends = HttpBindings | Http2Bindings;

export function writingEvents(
  answer: Answering,
): (request: Request, ends: Ends) => Promise<Response> {
  return async (request, { outgoing }) => {
    const response = await answer(request);
    const isStream = /^text\/event-stream\b/.test(response.headers.get("content-type") ?? "");
    if (!isStream || response.body === null) return response;
    write(response.status, response.headers, response.body, outgoing as ServerResponse);
    return RESPONSE_ALREADY_SENT;
  };
}

function write(
  status: number,
  headers: Headers,
  body: NonNullable<Response["body"]>,
  outgoing: ServerResponse,
): void {
  outgoing.writeHead(status, Object.fromEntries(headers));
  outgoing.flushHeaders();
  // A reader who leaves is no error, and the source is told by the end of the pipe.
  pipeline(Readable.fromWeb(body as ReadableStream), outgoing).catch(() => {});
}
