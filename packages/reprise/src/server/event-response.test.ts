/** Event streams over a real connection: complete, ended by either side, and without keeping what was sent. */

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { queryObjects } from "node:v8";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../../test/until.ts";
import { type Listening, listen } from "./listen.ts";

let listening: Listening;
let source: ReadableStreamDefaultController<Uint8Array>;
let cancelled: boolean;

beforeEach(async () => {
  cancelled = false;
  const fetch = () => {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        source = controller;
      },
      cancel: () => {
        cancelled = true;
      },
    });
    return new Response(stream, {
      headers: { "content-type": "text/event-stream; charset=utf-8" },
    });
  };
  listening = await listen({ app: { fetch }, port: 0, guarded: true });
});

afterEach(() => listening.close());

async function open(): Promise<IncomingMessage> {
  const [response] = (await once(get(listening.url), "response")) as [IncomingMessage];
  return response.setEncoding("utf8");
}

/** Sends a chunk, and returns when it has arrived. */
async function pass(response: IncomingMessage, text: string): Promise<void> {
  const arrived = once(response, "data");
  source.enqueue(Buffer.from(text));
  expect(await arrived).toEqual([text]);
}

test("the head comes before the first event, and the end of the stream ends the answer", async () => {
  const response = await open();
  expect(response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  await pass(response, "id: 1\n\n");
  const ended = once(response, "end");
  source.close();
  response.resume();
  await ended;
});

test("a reader that disconnects ends the source", async () => {
  const response = await open();
  await pass(response, "id: 1\n\n");
  response.destroy();
  await until(() => cancelled);
});

test("sent chunks are not kept", async () => {
  const response = await open();
  const pieces = async (count: number) => {
    for (let index = 0; index < count; index += 1) await pass(response, `id: ${index}\n\n`);
    return queryObjects(Promise, { format: "count" });
  };
  const before = await pieces(50);
  expect(await pieces(1000)).toBeLessThan(before + 500);
  response.destroy();
});

test("V12: a reader that does not read is disconnected, and its source is read no further", async () => {
  let pieces = 0;
  let over = false;
  const fetch = () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pieces += 1;
        controller.enqueue(Buffer.alloc(64 * 1024, 120));
      },
      cancel: () => {
        over = true;
      },
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
  const server = await listen({ app: { fetch }, port: 0, guarded: true, readerPatience: 200 });
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
  await until(() => over);
  const read = pieces;
  // The connection buffers a few megabytes, depending on the system; the source is endless.
  expect(read).toBeLessThan(1000);
  const closed = once(socket, "close");
  socket.resume();
  await closed;
  expect(pieces).toBe(read);
  await server.close();
});
