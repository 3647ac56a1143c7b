/** The server on a real socket, its page, its tokens, its health and its metrics. */

import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createToken } from "@reprise/engine/tokens";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ownHosts } from "./hosts.ts";
import { type Listening, listen } from "./listen.ts";
import { createLog } from "./log.ts";
import { openApi } from "./openapi.ts";
import { TestApp } from "./test-app.ts";
import { homeToken } from "./tokens.ts";

let server: TestApp;
let listening: Listening;

beforeEach(async () => {
  server = await TestApp.open();
  listening = await listen({ app: server.app, port: 0, guarded: true });
});

afterEach(async () => {
  await listening.close();
  await server.close();
});

/** Sends the path unchanged, which `fetch` would normalize. */
function raw(path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port: listening.port, path, headers },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}

describe("a server", () => {
  test("answers over a connection as without one", async () => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "clerk", provider: "scripted" });
    const made = await fetch(`${listening.url}/v1/agents`, { method: "POST", headers, body });
    expect(await made.json()).toEqual(await server.reprise.agents.show("clerk"));
    const list = await fetch(`${listening.url}/v1/agents`, { headers });
    expect(await list.json()).toEqual(await server.reprise.agents.list());
    expect(list.headers.get("x-content-type-options")).toBe("nosniff");
    expect(list.headers.get("cache-control")).toBe("no-store");
  });

  test("does not answer under a foreign name", async () => {
    expect(await raw("/v1/health")).toBe(200);
    expect(await raw("/v1/health", { host: `localhost:${listening.port}` })).toBe(200);
    expect(await raw("/v1/health", { host: "evil.example" })).toBe(403);
    expect(await raw("/v1/health", { origin: "http://evil.example" })).toBe(403);
    expect(await raw("http://evil.example/v1/health")).toBe(403);
  });

  test("reports its health to every client, and nothing else", async () => {
    const reply = await server.ask("GET", "/v1/health", undefined, { token: null });
    expect(reply.body).toEqual({ status: "ok", version: "0.0.0", home: "test", startedAt: 0 });
  });

  test("listens beyond this machine only with a token, and says what that means", async () => {
    const { app } = server;
    await expect(listen({ app, host: "0.0.0.0", port: 0, guarded: false })).rejects.toMatchObject({
      code: "no-token",
    });
    const open = await listen({ app, host: "0.0.0.0", port: 0, guarded: true });
    expect(open.exposes).toContain("every conversation");
    expect(listening.exposes).toBeNull();
    await open.close();
    await expect(listen({ app, port: listening.port, guarded: true })).rejects.toMatchObject({
      code: "port-in-use",
    });
    await expect(
      listen({ app, host: "203.0.113.7", port: 0, guarded: true }),
    ).rejects.toMatchObject({ code: "bad-host" });
  });

  test("accepts the names of the address that it is bound to", () => {
    expect(ownHosts("127.0.0.1")).toEqual(["localhost", "127.0.0.1", "[::1]"]);
    expect(ownHosts("::1")).toEqual(["localhost", "127.0.0.1", "[::1]"]);
    expect(ownHosts("Box.local")).toContain("box.local");
    expect(ownHosts("0.0.0.0")).not.toContain("0.0.0.0");
  });

  test("counts requests by the names of its routes alone", async () => {
    await server.ask("GET", "/v1/agents");
    await server.ask("GET", "/v1/agents/missing");
    await server.ask("GET", '/v1/"} evil');
    const { body } = await server.ask("GET", "/metrics");
    expect(body).toContain('reprise_http_requests_total{route="agents.list",status="200"} 1\n');
    expect(body).toContain('reprise_http_requests_total{route="agents.show",status="404"} 1\n');
    expect(body).toMatch(/^reprise_inbox_waiting 0$/m);
    expect(body).not.toContain("evil");
  });
});

describe("the page", () => {
  beforeEach(() => {
    const page = join(server.folder, "page");
    mkdirSync(join(page, "assets"), { recursive: true });
    writeFileSync(join(page, "index.html"), "<!doctype html><title>The page</title>");
    writeFileSync(join(page, "assets", "a-1.js"), "export {};");
    writeFileSync(join(page, ".hidden"), "SECRET");
    writeFileSync(join(server.folder, "secret.txt"), "SECRET");
    symlinkSync(join(server.folder, "secret.txt"), join(page, "link.txt"));
  });

  const look = (path: string) => server.request("GET", path, undefined, { token: null });

  test("is served with its types and a strict policy", async () => {
    const index = await look("/");
    expect(index.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = index.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    const script = await look("/assets/a-1.js");
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("cache-control")).toContain("immutable");
  });

  test("is what a browser gets for an unknown token; a program gets an error", async () => {
    const asked = (accept: string) =>
      server.request("GET", "/runs?token=wrong", undefined, { token: null, headers: { accept } });
    const shown = await asked("text/html,application/xhtml+xml,*/*;q=0.8");
    expect(shown.status).toBe(401);
    expect(shown.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(shown.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(shown.headers.get("www-authenticate")).toBe('Bearer realm="reprise"');
    expect(shown.headers.get("set-cookie")).toBeNull();
    expect(await shown.text()).toContain("The page");
    const reply = await asked("*/*");
    expect([reply.status, reply.headers.get("content-type")]).toEqual([
      401,
      "application/problem+json",
    ]);
    expect(await reply.json()).toMatchObject({ code: "no-token" });
  });

  test("is served for every path that is neither a file nor part of the API", async () => {
    for (const path of ["/runs", "/runs/r1", "/sessions/a.key", "/index.html"])
      expect(await (await look(path)).text()).toContain("The page");
    for (const path of ["/missing.js", "/v1/nothing"])
      expect((await look(path)).status).not.toBe(200);
  });

  test.each([
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/..%5csecret.txt",
    "/link.txt",
    "/.hidden",
    "/%00",
    "/%ff",
    "/assets/a-1.js%00.html",
  ])("does not serve files outside of its folder: %s", async (path) => {
    expect(await (await look(path)).text()).not.toContain("SECRET");
    const status = await raw(path);
    expect([404, 400]).toContain(status);
  });
});

test("without a built page the server says so", async () => {
  const response = await server.request("GET", "/runs", undefined, { token: null });
  expect(await response.text()).toContain("built without its page");
});

describe("tokens", () => {
  test("the home's own is created once, readable by its owner alone", async () => {
    const home = join(server.folder, "other");
    mkdirSync(home);
    const made = await Promise.all([homeToken(home), homeToken(home), homeToken(home)]);
    expect(new Set(made).size).toBe(1);
    expect(made[0]?.length).toBeGreaterThan(40);
    expect(statSync(join(home, "token")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, "token"), "utf8").trim()).toBe(made[0]);
  });

  test("an empty file grants no access", async () => {
    const home = join(server.folder, "other");
    mkdirSync(home);
    writeFileSync(join(home, "token"), "\n");
    await expect(homeToken(home)).rejects.toMatchObject({ code: "bad-token-file" });
  });

  test("are shown once, listed without their secrets, and need a name and a role", async () => {
    const { store } = server.engine;
    const { token } = await createToken(store, { name: "ann", role: "viewer", at: 5 });
    const list = await server.reprise.tokens.list();
    expect(list).toEqual([
      {
        ...{ name: "ann", role: "viewer", createdAt: 5 },
        ...{ lastUsedAt: null, expiresAt: null, revokedAt: null },
      },
    ]);
    await server.ask("GET", "/v1/agents", undefined, { token });
    expect((await server.reprise.tokens.list())[0]?.lastUsedAt).toEqual(expect.any(Number));
    for (const wrong of [
      { name: "a b", role: "viewer", code: "bad-name" },
      { name: "bob", role: "root", code: "unknown-role" },
      { name: "ann", role: "viewer", code: "token-exists" },
    ])
      await expect(createToken(store, { ...wrong, at: 6 })).rejects.toMatchObject({
        code: wrong.code,
      });
    const written = [server.engine.home.database, `${server.engine.home.database}-wal`];
    for (const file of written.filter(existsSync))
      expect(readFileSync(file, "latin1")).not.toContain(token);
  });
});

test("the log has one object per line, from its level on, and no secrets", () => {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const log = createLog({ level: "info", write, secrets: ["hunter2hunter2"], now: () => 0 });
  log("debug", "not this");
  log("warn", "with hunter2hunter2", { route: "x", token: "hunter2hunter2" });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      at: "1970-01-01T00:00:00.000Z",
      level: "warn",
      message: "with [redacted]",
      route: "x",
      token: "[redacted]",
    },
  ]);
});

test("an unexpected error has an incident id, and reveals nothing to the client", async () => {
  server.engine.store.listAgents = () => Promise.reject(new Error("SECRET detail"));
  const reply = await server.ask("GET", "/v1/agents");
  expect([reply.status, reply.body.code]).toEqual([500, "internal"]);
  expect(JSON.stringify(reply.body)).not.toContain("SECRET");
  expect(server.incidents).toMatchObject([
    { incident: reply.body.incident, error: expect.stringContaining("SECRET detail") },
  ]);
});

test("the OpenAPI document is served, and every reference in it resolves", async () => {
  const { body } = await server.ask("GET", "/openapi.json", undefined, { token: null });
  expect(body).toEqual(JSON.parse(JSON.stringify(openApi())));
  const references = JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  for (const [, name] of references) expect(body.components.schemas).toHaveProperty(name!);
  const ids = Object.values(body.paths).flatMap((methods) =>
    Object.values(methods as object).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});
