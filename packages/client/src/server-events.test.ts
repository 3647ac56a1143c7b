import type { EventSourceMessage } from "eventsource-parser";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readServerEvents } from "./server-events.ts";

const stream = [
  "retry: 1000\n\n",
  ": still here\n\n",
  'id: 7\nevent: turn.opened\ndata: {"seq":7}\n\n',
  "data: größer\r\ndata: zwei\r\n\r\n",
  "id: 9\rdata:ohne\r\r",
  "id: 10\ndata: never ended",
].join("");

const events: EventSourceMessage[] = [
  { id: "7", event: "turn.opened", data: '{"seq":7}' },
  { id: undefined, event: undefined, data: "größer\nzwei" },
  { id: "9", event: undefined, data: "ohne" },
];

async function read(pieces: Uint8Array[]): Promise<EventSourceMessage[]> {
  const all: EventSourceMessage[] = [];
  for await (const event of readServerEvents(ReadableStream.from(pieces))) all.push(event);
  return all;
}

test("K7: wherever the stream is cut, the same events come", async () => {
  const bytes = new TextEncoder().encode(stream);
  const cuts = fc.array(fc.nat(bytes.length));
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const ordered = [0, ...places.sort((one, other) => one - other), bytes.length];
      const pieces = ordered.slice(1).map((end, index) => bytes.slice(ordered[index], end));
      expect(await read(pieces)).toEqual(events);
    }),
  );
});

test("K7: a reader that stops early releases the stream", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("data: x\n\n")),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const { data } of readServerEvents(body)) {
    expect(data).toBe("x");
    break;
  }
  expect(cancelled).toBe(true);
});
