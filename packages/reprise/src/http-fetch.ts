/**
 * `fetch` over `node:http`, with what the client uses of it. A command through a server makes a few requests to its
 * own machine, and loading Node's `fetch` takes longer than all of them.
 */

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { arrayBuffer, text } from "node:stream/consumers";

// An import reads all exports of `node:http`, and some of them load Node's `fetch` after all.
const { request } = process.getBuiltinModule("node:http");

export const httpFetch = (async (
  url: string,
  { method, headers, body, signal }: RequestInit = {},
) => {
  const bytes = body instanceof Blob ? new Uint8Array(await body.arrayBuffer()) : body;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      ...(method && { method }),
      headers: headers as Record<string, string>,
      ...(signal && { signal }),
    };
    request(url, options)
      .on("response", resolve)
      // The same form as the errors of `fetch`.
      .on("error", (cause) => reject(new TypeError("fetch failed", { cause })))
      .end(bytes);
  });
  // Reading it fails too, if it is read.
  response.on("error", () => {});
  const status = response.statusCode!;
  return {
    status,
    ok: status >= 200 && status < 300,
    get body() {
      return Readable.toWeb(response);
    },
    arrayBuffer: () => arrayBuffer(response),
    text: () => text(response),
  };
}) as unknown as typeof fetch;
