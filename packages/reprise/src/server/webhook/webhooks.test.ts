import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../../../test/until.ts";
import { TestApp } from "../test-app.ts";
import { addWebhook } from "./hooks.ts";
import { fits, Webhooks } from "./webhooks.ts";

const workflow = `
name: Release
steps:
  sign-off: { gate: { title: "Ship it?", choices: [ship, drop], answerers: [ana] } }
`;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of events that answers with `status`. */
async function receiver() {
  const received: Received[] = [];
  const said = { status: 204 };
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(said.status, { location: "http://127.0.0.1:1/" }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { received, said, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function open() {
  const clock = { now: Date.now() };
  const test = await TestApp.open();
  test.now = () => clock.now;
  onTestFinished(() => test.close());
  const { engine, work } = test;
  const delivery = new Webhooks({ engine, work, log: () => {} });
  const webhooks = {
    begin: () => delivery.look(),
    async look() {
      await delivery.look();
      await delivery.idle();
    },
  };
  const to = (url: string | null, ...events: string[]) =>
    addWebhook(engine.store, { url, events, secret: null, at: clock.now });
  return { test, clock, webhooks, to, store: engine.store, reprise: test.reprise };
}

test("requested events are delivered once, signed", async () => {
  const { reprise, webhooks, to, store } = await open();
  const { received, url } = await receiver();
  await reprise.runs.start({ source: workflow, id: "before" });
  const { webhook, secret } = await to(url, "run.ended", "gate.*");
  const { id } = await reprise.runs.start({ source: workflow, id: "r1" });
  await webhooks.look();
  await webhooks.look();
  expect(received).toHaveLength(1);
  const [{ headers, body }] = received as [Received];
  const message = JSON.parse(body);
  expect(message).toMatchObject({
    webhook: webhook.id,
    event: { type: "gate.opened", stream: `run:${id}` },
    item: { title: "Ship it?", choices: ["ship", "drop"], resolution: null },
  });
  const timestamp = headers["reprise-timestamp"];
  const digest = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  expect(headers).toMatchObject({
    "reprise-signature": `v1=${digest}`,
    "reprise-event": "gate.opened",
    "reprise-delivery": message.delivery,
    "content-type": "application/json",
  });

  await reprise.inbox.answer({ item: message.item.id, choice: "ship", by: "ana" });
  await webhooks.look();
  const types = received.map((each) => JSON.parse(each.body).event.type);
  expect(types.sort()).toEqual(["gate.answered", "gate.opened", "run.ended"]);
  expect((await store.listDeliveries({ limit: 9 })).map(({ state }) => state)).toEqual([
    "done",
    "done",
    "done",
  ]);
});

test("a failed delivery is retried with growing pauses, and finally left to a person", async () => {
  const { reprise, webhooks, to, store, clock } = await open();
  const { received, said, url } = await receiver();
  await to(url, "gate.opened");
  await reprise.runs.start({ source: workflow });
  said.status = 503;
  await webhooks.look();
  const id = (await store.listDeliveries({ limit: 1 }))[0]!.id;
  const at = clock.now;
  expect(await store.readDelivery(id)).toMatchObject({
    state: "due",
    tries: 1,
    status: 503,
    nextAt: at + 5000,
  });
  clock.now = at + 4999;
  await webhooks.look();
  expect(received).toHaveLength(1);
  for (let tries = 1; tries < 8; tries += 1) {
    // A redirect is not followed.
    said.status = tries === 3 ? 307 : 500;
    const { nextAt } = (await store.readDelivery(id))!;
    expect(nextAt!).toBeGreaterThan(clock.now);
    clock.now = nextAt!;
    await webhooks.look();
    expect(received).toHaveLength(tries + 1);
  }
  expect(await store.readDelivery(id)).toMatchObject({ state: "failed", tries: 8, nextAt: null });
  clock.now += 1e9;
  await webhooks.look();
  expect(received).toHaveLength(8);

  said.status = 200;
  await store.replayDelivery({ id, at: clock.now });
  await webhooks.look();
  expect(received).toHaveLength(9);
  expect(received[8]?.body).toBe(received[0]?.body);
  expect(await store.readDelivery(id)).toMatchObject({ state: "done", status: 200, error: null });
});

test("a refused connection is a failure like any other", async () => {
  const { reprise, webhooks, to, store } = await open();
  await to("http://127.0.0.1:1/", "*");
  await reprise.runs.start({ source: workflow });
  await webhooks.look();
  const deliveries = await store.listDeliveries({ limit: 9 });
  expect(deliveries.length).toBeGreaterThan(1);
  for (const delivery of deliveries)
    expect(delivery).toMatchObject({
      state: "due",
      tries: 1,
      status: null,
      error: expect.stringMatching(/^No answer/),
    });
});

test("a signed message answers an inbox item, and the run continues", async () => {
  const { test, reprise, to } = await open();
  const { webhook, secret } = await to(null);
  await reprise.runs.start({ source: workflow, id: "r1" });
  const item = (await reprise.inbox.list())[0]!.id;
  const now = Math.floor(Date.now() / 1000);
  const good = JSON.stringify({ item, choice: "ship", by: "ana", comment: "from the chat" });
  const other = await to(null);
  const outgoing = await to("http://127.0.0.1:1/", "*");

  interface Message {
    body?: string;
    key?: string;
    at?: number;
    to?: string;
  }
  const post = ({ body = good, key = secret, at = now, to: hook = webhook.id }: Message) => {
    const digest = createHmac("sha256", key).update(`${at}.${body}`).digest("hex");
    return test.app.request(`http://127.0.0.1/v1/hooks/${hook}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "reprise-timestamp": String(at),
        "reprise-signature": `v1=${digest}`,
      },
      body,
    });
  };
  const refused: Message[] = [
    { key: other.secret },
    { at: now - 330 },
    { at: now + 330 },
    { to: "another" },
    { to: outgoing.webhook.id, key: outgoing.secret },
  ];
  for (const message of refused) expect((await post(message)).status).toBe(401);
  expect(
    (await test.app.request(`http://127.0.0.1/v1/hooks/${webhook.id}`, { method: "POST" })).status,
  ).toBe(401);
  const withoutName = JSON.stringify({ item, choice: "ship" });
  expect((await post({ body: withoutName })).status).toBe(403);
  expect((await post({ body: JSON.stringify({ item, choice: "burn", by: "ana" }) })).status).toBe(
    400,
  );
  expect(await reprise.inbox.show(item)).toMatchObject({ resolution: null });

  expect((await post({})).ok).toBe(true);
  expect(await reprise.inbox.show(item)).toMatchObject({
    resolution: { choice: "ship", by: "ana", comment: "from the chat" },
  });
  for await (const _ of reprise.runs.events("r1"));
  expect(await reprise.runs.show("r1")).toMatchObject({ status: "done" });
});

test("an invalid webhook is refused", async () => {
  const { to, store } = await open();
  const codes: unknown[] = [];
  const attempts: [string | null, ...string[]][] = [
    ["file:///etc/passwd", "*"],
    ["http://user:secret@127.0.0.1/", "*"],
    ["http://127.0.0.1/", "Run Ended"],
    ["http://127.0.0.1/"],
  ];
  for (const [url, ...events] of attempts)
    await to(url, ...events).catch(({ code }) => codes.push(code));
  expect(codes).toEqual(["bad-url", "bad-url", "bad-event", "no-event"]);
  expect(await store.listWebhooks()).toEqual([]);
});

test.each([
  ["*", "run.ended", true],
  ["run.*", "run.ended", true],
  ["run.*", "runs.ended", false],
  ["run.ended", "run.ended", true],
  ["run.ended", "run.started", false],
])("%s matches %s: %s", (wanted, type, taken) => {
  expect(fits(wanted, type)).toBe(taken);
});

test("V10: a receiver that never answers does not delay others", async () => {
  const { webhooks, to, clock, store, reprise, test: app } = await open();
  const silent = { open: 0, ended: 0 };
  const server = createServer((request, response) => {
    silent.open += 1;
    response.on("close", () => {
      silent.ended += 1;
    });
    request.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await to(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, "gate.opened");
  // The silent receiver's delivery comes first.
  clock.now += 1000;
  const { received, url } = await receiver();
  const { webhook } = await to(url, "gate.opened");
  const runs = 30;
  for (let run = 1; run <= runs; run += 1)
    await reprise.runs.start({ source: workflow, id: `r${run}` });
  await webhooks.begin();
  await until(() => received.length === runs);
  await until(() => silent.open > 0);
  expect(silent.ended).toBe(0);
  const states = await store.listDeliveries({ webhook: webhook.id, limit: 100 });
  expect(states).toHaveLength(runs);
  // Stopping does not wait for it either.
  await app.work.stop();
  expect(silent.open).toBeLessThan(runs);
});

test("W9: the event of a stuck run carries the item that asks about it", async () => {
  const { test, webhooks, to, store, reprise } = await open();
  const { received, url } = await receiver();
  await to(url, "run.stuck");
  // As an earlier version left it, which accepted such a file.
  const data = {
    ...{ workflow: "endless", format: 1, inputs: {}, folder: "/", path: null, trigger: null },
    source: "name: endless\nsteps:\n  a: &x { constant: [*x] }\n",
  };
  const event = { type: "run.started", data };
  const { owner } = test.engine;
  const run = { id: "r1", workflow: "endless", path: null, event, owner, at: 1 };
  const { token } = await store.createRun(run);
  await store.takeRun({ run: "r1", token, owner: null });
  expect(await reprise.runs.recover()).toMatchObject([{ id: "r1", status: "stuck" }]);
  await webhooks.look();
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
    {
      event: { type: "run.stuck", data: { failures: 5 } },
      item: { kind: "stuck", run: "r1", choices: ["retry", "cancel"] },
    },
  ]);
});
