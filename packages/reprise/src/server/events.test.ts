/** Event streams: none is missed and none comes twice, however often a reader reconnects. */

import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EventFeed } from "./event-feed.ts";
import { listen } from "./listen.ts";
import { TestApp } from "./test-app.ts";

const waiting = "name: waiting\nsteps: { ask: { gate: { title: Continue? } } }\n";

interface Frame {
  readonly id: number;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came.
  readonly data: any;
}

let server: TestApp;

beforeEach(async () => {
  server = await TestApp.open();
  await server.createCoder();
});

afterEach(() => server.close());

/** Reads the events of a stream until it ends. */
async function* frames(response: Response, silence?: () => void): AsyncGenerator<Frame> {
  let text = "";
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.startsWith(":")) silence?.();
      const fields = Object.fromEntries(
        block
          .split("\n")
          .map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]),
      );
      if (fields.id)
        yield {
          id: Number(fields.id),
          event: fields.event ?? "",
          data: JSON.parse(fields.data ?? ""),
        };
    }
  }
}

async function take(response: Response, count: number): Promise<Frame[]> {
  const taken: Frame[] = [];
  if (count > 0) for await (const frame of frames(response)) if (taken.push(frame) === count) break;
  return taken;
}

/** Adds `count` events, each in one transaction. */
async function append(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const stream = `test:${number % 3}`;
    const log = await server.engine.store.readEvents({ after: 0, limit: 10_000, stream });
    await server.engine.store.appendEvents({
      ...{ stream, expectedSeq: log.length, due: [], at: number },
      events: [{ type: "test.step", data: { number } }],
    });
  }
}

/** Their numbers have gaps in PostgreSQL. */
async function countEvents(): Promise<number> {
  return (await server.engine.store.readEvents({ after: 0, limit: 1000 })).length;
}

const open = (after?: number, headers = {}) =>
  server.request("GET", "/v1/events", undefined, {
    headers,
    ...(after === undefined ? {} : { query: { after: String(after) } }),
  });

test("each event has its number, its type and its data", async () => {
  const response = await open(0);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const [first] = await take(response, 1);
  const [stored] = await server.engine.store.readEvents({ after: 0, limit: 1 });
  expect(first).toEqual({ id: stored?.seq, event: stored?.type, data: stored });
});

test("it starts with new events unless a position is given", async () => {
  const last = await server.engine.store.lastEvent();
  const response = await open();
  const reading = take(response, 1);
  await append(1);
  const [first] = await reading;
  const [stored] = await server.engine.store.readEvents({ after: last, limit: 1 });
  expect(first).toMatchObject({ id: stored!.seq, event: "test.step" });
});

test("a reader that reconnects again and again sees every event once", async () => {
  const events = 120;
  const begin = await countEvents();
  const writing = append(events);
  const seen: number[] = [];
  // Some reads are long and some short, and both ways of giving the position are used.
  for (let turn = 0, last = 0; seen.length < begin + events; turn += 1) {
    const left = begin + events - seen.length;
    const response =
      turn % 2 === 0 ? await open(last) : await open(0, { "last-event-id": String(last) });
    const taken = await take(response, Math.min(left, 1 + ((turn * 7) % 23)));
    seen.push(...taken.map(({ id }) => id));
    last = seen.at(-1) ?? last;
  }
  await writing;
  const wanted = await server.engine.store.readEvents({ after: 0, limit: 1000 });
  expect(seen).toEqual(wanted.map(({ seq }) => seq));
});

test("many readers, early and late ones, see the same", async () => {
  const begin = await countEvents();
  const last = await server.engine.store.lastEvent();
  const early = await Promise.all([open(0), open(0), open(last)]);
  const reading = [
    take(early[0]!, begin + 60),
    take(early[1]!, begin + 60),
    take(early[2]!, 60),
  ] as const;
  await append(60);
  const late = await take(await open(0), begin + 60);
  const [one, other, present] = await Promise.all(reading);
  expect(one).toEqual(late);
  expect(other).toEqual(late);
  expect(present).toEqual(late.slice(begin));
});

test("a feed reads events from the store that it no longer has in memory", async () => {
  const log = Array.from({ length: 5000 }, (_, index) => ({
    ...{ seq: index + 1, stream: "s", streamSeq: index + 1, type: "t", data: null, at: 0 },
  }));
  let there = 10;
  const feed = new EventFeed({
    lastEvent: async () => there,
    readEvents: async ({ after, limit }) => log.slice(after, Math.min(there, after + limit)),
    changes: async (since) => delay(5, since + 1),
  });
  const ending = new AbortController();
  const read = async (after: number, until: number) => {
    const seen: number[] = [];
    for await (const { seq } of feed.events(after, ending.signal)) {
      seen.push(seq);
      if (seq === 20) there = 5000;
      if (seq === until) break;
    }
    return seen;
  };
  const waiting = read(10, 5000);
  const slow = feed.events(0, ending.signal);
  const first = [];
  for (let count = 0; count < 12; count += 1) {
    if (count === 10) there = 20;
    first.push((await slow.next()).value.seq);
  }
  expect(await waiting).toEqual(log.slice(10).map(({ seq }) => seq));
  // By now the feed no longer has most of the events that the slow reader has yet to read.
  const rest = [];
  for (const _ of log.slice(12)) rest.push((await slow.next()).value.seq);
  expect([...first, ...rest]).toEqual(log.map(({ seq }) => seq));
  ending.abort();
});

test("comments are sent during silence, so that both sides notice a dead connection", async () => {
  const response = await open();
  const beat = Promise.withResolvers<void>();
  const reading = frames(response, beat.resolve);
  const next = reading.next();
  await beat.promise;
  await append(1);
  expect((await next).value).toMatchObject({ event: "test.step" });
  await reading.return(undefined);
});

test("a run's events end with it, and a reader that reconnects gets 204", async () => {
  const source = "name: gate\nsteps:\n  approve: { gate: Ship it? }\n";
  const { waitsFor } = await server.reprise.runs.start({ source, id: "r1" });
  const response = await server.request("GET", "/v1/runs/r1/events?after=0");
  const reading = (async () => {
    const seen: Frame[] = [];
    for await (const frame of frames(response)) seen.push(frame);
    return seen;
  })();
  await append(3);
  await server.ask("POST", `/v1/inbox/${waitsFor[0]}/answer`, { choice: "approve" });
  const seen = await reading;
  const log = await server.engine.store.readEvents({ after: 0, limit: 100, stream: "run:r1" });
  expect(seen.map(({ data }) => data)).toEqual(log);
  expect(seen.at(-1)?.event).toBe("run.ended");
  const last = String(seen.at(-1)?.id);
  const back = await server.ask("GET", "/v1/runs/r1/events", undefined, {
    headers: { "last-event-id": last },
  });
  expect([back.status, back.body]).toEqual([204, ""]);
  const still = await server.request("GET", "/v1/runs/r1/events?after=0&follow=false");
  expect((await take(still, log.length)).map(({ data }) => data)).toEqual(log);
});

test.each(["x", "-1", "1.5", "99999999999999999999"])(
  "%s is not a position in the log",
  async (after) => {
    const reply = await server.ask("GET", "/v1/events", undefined, { query: { after } });
    expect([reply.status, reply.body.code]).toEqual([400, "bad-cursor"]);
  },
);

test("over a real connection a reader continues where the last server stopped", async () => {
  const port = 0;
  const listening = await listen({ app: server.app, port, guarded: true });
  const headers = { authorization: `Bearer ${server.token}` };
  const first = await fetch(`${listening.url}/v1/events?after=0`, { headers });
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { id } of frames(first)) seen.push(id);
  })();
  await append(5);
  while (seen.length < (await countEvents())) await new Promise(setImmediate);
  await server.stop();
  // The server ends the stream properly, without breaking the connection.
  await reading;
  await listening.close();
  await server.start();
  await append(5);
  const next = await listen({ app: server.app, port, guarded: true });
  const last = String(seen.at(-1));
  const again = await fetch(`${next.url}/v1/events`, {
    headers: { ...headers, "last-event-id": last },
  });
  seen.push(...(await take(again, 5)).map(({ id }) => id));
  await next.close();
  const log = await server.engine.store.readEvents({ after: 0, limit: 1000 });
  expect(seen).toEqual(log.map(({ seq }) => seq));
});

test("a reader that disconnects is no longer counted", async () => {
  const listening = await listen({ app: server.app, port: 0, guarded: true });
  const headers = { authorization: `Bearer ${server.token}` };
  const streams = async () => {
    const text = await (await fetch(`${listening.url}/metrics`, { headers })).text();
    return Number(/^reprise_event_streams (\d+)$/m.exec(text)?.[1]);
  };
  const leaving = new AbortController();
  const { signal } = leaving;
  const response = await fetch(`${listening.url}/v1/events?after=0`, { headers, signal });
  await frames(response).next();
  while ((await streams()) !== 1) await new Promise(setImmediate);
  leaving.abort();
  while ((await streams()) !== 0) await new Promise(setImmediate);
  await listening.close();
});

test("V12: two hundred readers far behind do not block the event loop between reads", async () => {
  let turn = 0;
  let counting = true;
  const count = () => {
    turn += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const reads: number[] = [];
  const last = 5000;
  const store = {
    lastEvent: async () => last,
    readEvents: async ({ after, limit }: { after: number; limit: number }) => {
      reads.push(turn);
      const seqs = Array.from({ length: limit }, (_, index) => after + 1 + index);
      return seqs
        .filter((seq) => seq <= last)
        .map((seq) => ({ seq, stream: "s", streamSeq: seq, type: "t", data: {}, at: 0 }));
    },
    changes: async (since: number) => delay(5, since + 1),
  };
  const feed = new EventFeed(store);
  const over = new AbortController();
  const counts = await Promise.all(
    Array.from({ length: 200 }, async () => {
      let events = 0;
      for await (const _ of feed.events(0, over.signal)) if (++events === 300) break;
      return events;
    }),
  );
  counting = false;
  over.abort();
  expect(counts.every((events) => events === 300)).toBe(true);
  expect(reads.length).toBeGreaterThanOrEqual(600);
  expect(new Set(reads).size).toBe(reads.length);
});

async function all(response: Response): Promise<Frame[]> {
  const seen: Frame[] = [];
  for await (const frame of frames(response)) seen.push(frame);
  return seen;
}

test("V13: a stream ends when its token is revoked, and others continue", async () => {
  await server.reprise.sessions.send({ key: "k", agent: "coder", prompt: "hello" });
  const token = await server.tokenFor("ann", "viewer");
  const other = await server.tokenFor("ben", "viewer");
  const run = await server.reprise.runs.start({ source: waiting });
  const streams = await Promise.all(
    ["/v1/events?after=0", `/v1/runs/${run.id}/events?after=0`].map((path) =>
      server.request("GET", path, undefined, { token }),
    ),
  );
  const staying = await server.request("GET", "/v1/events?after=0", undefined, { token: other });
  const ended = Promise.all(streams.map(all));
  await server.engine.store.revokeToken({ name: "ann", at: 1 });
  await ended;
  expect((await server.request("GET", "/v1/events", undefined, { token })).status).toBe(401);
  await append(1);
  const seen: string[] = [];
  for await (const { event } of frames(staying))
    if (seen.push(event) && event === "test.step") break;
  expect(seen).toContain("token.revoked");
});

test("V13: a call that waits is refused when its token is revoked", async () => {
  const token = await server.tokenFor("ann", "viewer");
  const { id, waitsFor } = await server.reprise.runs.start({ source: waiting });
  const [item = ""] = waitsFor;
  const waited = server.ask("GET", `/v1/inbox/${item}`, undefined, {
    token,
    query: { wait: "600" },
  });
  await server.engine.store.revokeToken({ name: "ann", at: 1 });
  expect(await waited).toMatchObject({ status: 401, body: { code: "no-token" } });
  await server.reprise.runs.cancel({ run: id });
});
