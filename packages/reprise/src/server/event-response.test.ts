/** Streams of events over a real connection: whole, ended by either side, and without a trace of what was sent. */

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { queryObjects } from "node:v8";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Listening, startServer } from "./server.ts";

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
  listening = await startServer({ app: { fetch }, port: 0, guarded: true });
});

afterEach(() => listening.close());

async function open(): Promise<IncomingMessage> {
  const [response] = (await once(get(listening.url), "response")) as [IncomingMessage];
  return response.setEncoding("utf8");
}

/** Sends a piece, and comes back when it has arrived. */
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

test("a reader who leaves ends the source", async () => {
  const response = await open();
  await pass(response, "id: 1\n\n");
  response.destroy();
  await vi.waitUntil(() => cancelled);
});

test("nothing is kept of what was sent", async () => {
  const response = await open();
  const pieces = async (count: number) => {
    for (let index = 0; index < count; index += 1) await pass(response, `id: ${index}\n\n`);
    return queryObjects(Promise, { format: "count" });
  };
  const before = await pieces(50);
  expect(await pieces(1000)).toBeLessThan(before + 500);
  response.destroy();
});
