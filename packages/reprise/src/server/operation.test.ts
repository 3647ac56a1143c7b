/** What an operator relies on: clients that disconnect, clocks that are set back, tokens that are renewed. */

import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../../test/until.ts";
import { listen } from "./listen.ts";
import { openApi } from "./openapi.ts";
import { TestApp } from "./test-app.ts";

let server: TestApp;

beforeEach(async () => {
  server = await TestApp.open();
});

afterEach(async () => {
  await server.close();
});

async function watching(fetch: (request: Request) => Response | Promise<Response>) {
  const { port, close } = await listen({ app: { fetch }, port: 0, guarded: true });
  return { port, [Symbol.asyncDispose]: close };
}

test("V19: a client that disconnects during its request is not logged as an error", async () => {
  const arrived = Promise.withResolvers<void>();
  const fetch = (request: Request) => {
    arrived.resolve();
    return server.app.fetch(request);
  };
  await using watched = await watching(fetch);
  const socket = connect(watched.port, "127.0.0.1");
  socket.write(
    [
      "POST /v1/agents HTTP/1.1",
      "host: localhost",
      `authorization: Bearer ${server.token}`,
      "content-type: application/json",
      "content-length: 1000",
      "",
      '{"name":',
    ].join("\r\n"),
  );
  await arrived.promise;
  socket.destroy();
  const counted = 'reprise_http_requests_total{route="agents.create",status="499"} 1\n';
  await until(async () => String((await server.ask("GET", "/metrics")).body).includes(counted));
  expect(server.incidents).toEqual([]);
});

test("V19: the uptime is never negative, although the clock was set back", async () => {
  server.now = () => -3_600_000;
  const { body } = await server.ask("GET", "/metrics");
  expect(Number(/^reprise_uptime_seconds (.*)$/m.exec(body)?.[1])).toBeGreaterThanOrEqual(0);
});

test("V19: a new token with the name of a revoked one does not get its answers", async () => {
  const headers = { "idempotency-key": "once" };
  const create = (token: string) =>
    server.ask("POST", "/v1/agents", { name: "clerk", provider: "scripted" }, { headers, token });
  expect((await create(await server.tokenFor("ann", "operator"))).status).toBe(200);
  await server.engine.store.revokeToken({ name: "ann", at: server.now() });
  const again = await create(await server.tokenFor("ann", "operator"));
  expect(again.headers.get("idempotency-replayed")).toBeNull();
  expect(again).toMatchObject({ status: 409, body: { code: "agent-exists" } });
});

test("V19: the OpenAPI document is at /v1 too, and describes servers, events and errors", async () => {
  const { status, body } = await server.ask("GET", "/v1/openapi.json", undefined, { token: null });
  expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(openApi()))]);
  expect(body.servers).toEqual([{ url: "/", description: expect.any(String) }]);
  const events = body.paths["/v1/events"].get.responses[200].content["text/event-stream"];
  expect(events.itemSchema.properties).toHaveProperty("data");
  const statuses = (path: string, method: string) =>
    Object.keys(body.paths[path][method].responses);
  expect(statuses("/v1/sessions/{key}/turns", "post")).toEqual(
    expect.arrayContaining(["400", "401", "403", "404", "409", "413", "415", "422", "429"]),
  );
  expect(statuses("/v1/agents", "get")).not.toContain("404");
  expect(statuses("/v1/health", "get")).not.toContain("401");
});

test("K7: large files of the page are compressed, small ones and events are not", async () => {
  const assets = join(server.folder, "page", "assets");
  mkdirSync(assets, { recursive: true });
  const text = "export const words = 1;\n".repeat(1000);
  writeFileSync(join(assets, "large-1.js"), text);
  writeFileSync(join(assets, "small-1.js"), "export {};");
  const look = (name: string, encoding: string) =>
    server.request("GET", `/assets/${name}`, undefined, {
      token: null,
      headers: { "accept-encoding": encoding },
    });
  const packed = await look("large-1.js", "gzip, deflate, br");
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(packed.headers.get("vary")).toBe("Accept-Encoding");
  const bytes = Buffer.from(await packed.arrayBuffer());
  expect(bytes.byteLength).toBeLessThan(1000);
  expect(gunzipSync(bytes).toString()).toBe(text);
  expect((await look("large-1.js", "identity")).headers.get("content-encoding")).toBeNull();
  expect((await look("small-1.js", "gzip")).headers.get("content-encoding")).toBeNull();
});
