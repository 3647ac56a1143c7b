/** Requests without access or with invalid input: the client gets a typed error, and nothing changes. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { routes } from "@reprise/core/api/routes";
import { readStoreRecord } from "@reprise/engine/home";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { query } from "../../../../test/postgres/sync-query.ts";
import { openApi } from "./openapi.ts";
import { TestApp } from "./test-app.ts";

let server: TestApp;
let viewer: string;
let approver: string;

beforeAll(async () => {
  server = await TestApp.open();
  await server.createCoder();
  await server.reprise.sessions.send({ key: "kept", agent: "coder", prompt: "remember PLUM" });
  viewer = await server.tokenFor("vera", "viewer");
  approver = await server.tokenFor("ann", "approver");
  // The first use of a token is recorded.
  for (const token of [viewer, approver])
    await server.ask("GET", "/v1/caller", undefined, { token });
});

afterAll(() => server.close());

/** The number of rows in every table, and what they are. */
function everything(): Record<string, unknown> {
  const { path, database } = server.engine.home;
  const url = readStoreRecord(path);
  return url === null ? everythingInSqlite(database) : everythingInPostgres(url);
}

function everythingInSqlite(path: string): Record<string, unknown> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return Object.fromEntries(
      tables.map(({ name }) => [
        name,
        database.prepare(`SELECT count(*) AS rows, total(rowid) AS ids FROM "${name}"`).get(),
      ]),
    );
  } finally {
    database.close();
  }
}

function everythingInPostgres(url: string): Record<string, unknown> {
  const tables = query<{ name: string }>(
    url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
  );
  return Object.fromEntries(
    tables.map(({ name }) => [
      name,
      query(
        url,
        `SELECT count(*) AS rows, md5(string_agg(CAST(row AS TEXT), ' ' ORDER BY CAST(row AS TEXT)))
         FROM "${name}" AS row`,
      ),
    ]),
  );
}

/** Values for every parameter of a path and every required field of a body. */
function example(path: string): string {
  return path.replace("{key}", "kept").replaceAll(/\{\w+\}/g, "kept");
}

const paths = openApi().paths as Record<string, Record<string, { security?: object[] }>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { security }]) => ({
    method: method.toUpperCase(),
    path,
    isOpen: security?.length === 0,
  })),
);
const guarded = operations.filter(({ isOpen }) => !isOpen);

describe("nothing is changed by", () => {
  test.each([
    ["a foreign host", { host: "evil.example:80" }, "foreign-host"],
    ["a foreign origin", { origin: "http://evil.example" }, "foreign-origin"],
    ["a page of another port", { origin: "http://localhost:3000" }, "foreign-origin"],
    ["a page without an origin", { origin: "null" }, "foreign-origin"],
  ])("%s", async (_, headers, code) => {
    const before = everything();
    for (const { method, path } of operations) {
      const body = method === "POST" ? {} : undefined;
      const reply = await server.ask(method, example(path), body, { headers });
      expect([method, path, reply.status, reply.body.code]).toEqual([method, path, 403, code]);
    }
    expect(everything()).toEqual(before);
  });

  test.each([
    ["no token", null],
    ["an unknown one", "x".repeat(43)],
    ["an empty one", ""],
  ])("a client with %s", async (_, token) => {
    const before = everything();
    for (const { method, path } of guarded) {
      const body = method === "POST" ? {} : undefined;
      const reply = await server.ask(method, example(path), body, { token });
      expect([method, path, reply.status, reply.body.code]).toEqual([
        method,
        path,
        401,
        "no-token",
      ]);
    }
    expect(everything()).toEqual(before);
  });

  test("a viewer that writes, or an approver that does more than answer", async () => {
    const before = everything();
    for (const { method, path, role } of routes) {
      if (role === "viewer") continue;
      const body = method === "POST" ? {} : undefined;
      const reply = await server.ask(method, example(path), body, { token: viewer });
      expect([path, reply.status, reply.body.code]).toEqual([path, 403, "role"]);
      const asApprover = await server.ask(method, example(path), body, { token: approver });
      if (role === "operator") expect([path, asApprover.body.code]).toEqual([path, "role"]);
      else expect([path, asApprover.body.code]).not.toEqual([path, "role"]);
    }
    for (const path of ["/v1/sessions/kept/bundle"]) {
      const reply = await server.ask("GET", path, undefined, { token: approver });
      expect([reply.status, reply.body.code]).toEqual([403, "role"]);
    }
    expect(everything()).toEqual(before);
  });

  test.each(["../x", "../../etc/passwd", "a/b", "a\\b", "a\0b", "%2e%2e", "a\nb"])(
    "%j in a path",
    async (name) => {
      const before = everything();
      for (const { method, path } of guarded) {
        if (!path.includes("{")) continue;
        const body = method === "POST" ? {} : undefined;
        const once = encodeURIComponent(name);
        const forms = [once, encodeURIComponent(once)];
        for (const each of forms.map((form) => path.replaceAll(/\{\w+\}/g, form))) {
          const reply = await server.ask(method, each, body);
          expect([400, 404, 415], `${method} ${each}`).toContain(reply.status);
        }
      }
      expect(everything()).toEqual(before);
    },
  );

  test("a revoked token", async () => {
    const token = await server.tokenFor("eve", "operator");
    expect((await server.ask("GET", "/v1/agents", undefined, { token })).status).toBe(200);
    await server.engine.store.revokeToken({ name: "eve", at: 1 });
    const before = everything();
    const reply = await server.ask("POST", "/v1/prune", {}, { token });
    expect([reply.status, reply.body.code]).toEqual([401, "no-token"]);
    expect(everything()).toEqual(before);
  });
});

describe("invalid input is a typed error:", () => {
  const send = "/v1/sessions/kept/turns";
  test.each([
    ["no JSON", send, { "content-type": "application/json" }, "{", 400, "bad-json"],
    ["an array", send, { "content-type": "application/json" }, "[]", 400, "bad-json"],
    ["broken UTF-8", send, { "content-type": "application/json" }, "\xff", 400, "bad-json"],
    ["a form", send, { "content-type": "text/plain" }, "{}", 415, "not-json"],
    ["deep nesting", send, { "content-type": "application/json" }, nested(3000), 400, "bad-json"],
    ["a field twice", "/v1/sessions/kept?force=1&force=2", {}, null, 400, "bad-input"],
    ["an unknown field", "/v1/sessions/kept?forse=1", {}, null, 400, "bad-input"],
    [
      "another key than in the path",
      send,
      json(),
      '{"key":"other","prompt":"x"}',
      400,
      "bad-input",
    ],
    ["a wait for ever", `${send}?wait=1e9`, json(), '{"prompt":"x"}', 400, "bad-input"],
    ["a bundle as JSON", "/v1/bundles", json(), "{}", 415, "not-a-bundle"],
    ["a bad key", send, { ...json(), "idempotency-key": "a b" }, "{}", 400, "bad-input"],
  ])("%s", async (_, path, headers, body, status, code) => {
    const response = await server.app.request(path, {
      method: body === null ? "DELETE" : "POST",
      headers: { authorization: `Bearer ${server.token}`, ...headers },
      ...(body === null ? {} : { body: Buffer.from(body, "latin1") }),
    });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const reply = (await response.json()) as { status: number; code: string };
    expect([reply.status, reply.code]).toEqual([status, code]);
    expect(response.status).toBe(status);
  });

  test.each(["1.5", "1e308", "x"])("a usage report that starts at %s", async (since) => {
    const { status, body } = await server.ask("GET", `/v1/usage?since=${since}`);
    expect([status, body.code]).toEqual([400, "bad-input"]);
  });

  test("a body that is too large, whether announced or not", async () => {
    const chunk = new Uint8Array(1024 * 1024);
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(chunk);
      },
    });
    const headers = { authorization: `Bearer ${server.token}`, ...json() };
    const request = new Request(`http://localhost${send}`, {
      ...{ method: "POST", headers, body: stream, duplex: "half" },
    });
    expect((await server.app.request(request)).status).toBe(413);
    expect(sent).toBeLessThan(25);
    const announced = { ...headers, "content-length": String(64 * 1024 * 1024) };
    const reply = await server.app.request(send, {
      method: "POST",
      headers: announced,
      body: "{}",
    });
    expect(reply.status).toBe(413);
  });

  test("a path that does not exist", async () => {
    for (const path of ["/v1/nothing", "/v1", "/api/x", "/v1/turns/none", "/v1/runs/none/events"]) {
      const reply = await server.ask("GET", path);
      expect([path, reply.status, reply.body.title]).toEqual([path, 404, "Not Found"]);
    }
  });

  test("a method that a path does not have: 405 with those that it has", async () => {
    for (const [method, path, allowed] of [
      ["PUT", "/v1/agents", "POST, GET"],
      ["POST", "/v1/sessions", "GET"],
      ["PUT", "/v1/sessions/kept/turns", "POST, GET"],
      ["PATCH", "/v1/sessions/kept", "GET, DELETE"],
      ["GET", "/v1/login", "POST"],
    ] as const) {
      const reply = await server.ask(method, path);
      expect([reply.status, reply.body.code]).toEqual([405, "wrong-method"]);
      expect(reply.body.detail).toBe(`${method} is not known at ${path}.`);
      expect(reply.headers.get("allow")).toBe(allowed);
    }
  });

  test("a misspelled path is answered with the nearest one", async () => {
    for (const [path, hint] of [
      ["/v1/sessions/", "Leave out the slash at the end."],
      ["/v1/session", "Did you mean /v1/sessions?"],
      ["/v1/elsewhere/entirely", "See /openapi.json for all routes."],
    ] as const) {
      const reply = await server.ask("GET", path);
      expect([reply.status, reply.body.detail]).toEqual([404, `There is nothing at ${path}.`]);
      expect(reply.body.hint).toContain(hint);
    }
  });

  test("a missing token and an unknown token have different messages", async () => {
    const none = await server.ask("GET", "/v1/agents", undefined, { token: null });
    const wrong = await server.ask("GET", "/v1/agents", undefined, { token: "wrong" });
    expect(none.body.detail).toBe("This needs a token.");
    expect(wrong.body.detail).toBe("The token is not known, or was revoked.");
    for (const reply of [none, wrong])
      expect(reply.headers.get("www-authenticate")).toBe('Bearer realm="reprise"');
  });

  function nested(depth: number): string {
    return `{"prompt":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  }

  function json(): Record<string, string> {
    return { "content-type": "application/json" };
  }
});

describe("who answers", () => {
  const gate = "name: gate\nsteps:\n  approve: { gate: Ship it? }\n";

  test("is the owner of the token", async () => {
    const { waitsFor } = await server.reprise.runs.start({ source: gate, id: "signed" });
    const path = `/v1/inbox/${waitsFor[0]}/answer`;
    const asked = { choice: "approve", by: "boss" };
    const refused = await server.ask("POST", path, asked, { token: approver });
    expect([refused.status, refused.body.code]).toEqual([403, "other-name"]);
    const reply = await server.ask("POST", path, { choice: "approve" }, { token: approver });
    expect(reply.body.item.resolution).toMatchObject({ by: "ann", choice: "approve" });
    const log = await server.engine.store.readEvents({
      after: 0,
      limit: 500,
      stream: "run:signed",
    });
    expect(log.find(({ type }) => type === "gate.answered")?.data).toMatchObject({ by: "ann" });
  });

  test("may be named by a client with the home's own token", async () => {
    const { waitsFor } = await server.reprise.runs.start({ source: gate, id: "named" });
    const path = `/v1/inbox/${waitsFor[0]}/answer`;
    const reply = await server.ask("POST", path, { choice: "reject", by: "boss" });
    expect(reply.body.item.resolution).toMatchObject({ by: "boss" });
  });
});

test("a turn is cancelled in the name of the token's owner", async () => {
  const token = await server.tokenFor("olga", "operator");
  const script = join(server.folder, "asking.json");
  writeFileSync(script, JSON.stringify({ rules: [{ when: {}, do: [{ ask: "Which?" }] }] }));
  const settings = { script, home: join(server.folder, "asking") };
  await server.reprise.agents.create({ name: "asking", provider: "scripted", settings });
  const asked = { key: "k", agent: "asking", prompt: "choose" };
  const { turn } = await server.reprise.sessions.send(asked);
  const path = `/v1/turns/${turn.id}/cancel`;
  const refused = await server.ask("POST", path, { by: "boss" }, { token });
  expect([refused.status, refused.body.code]).toEqual([403, "other-name"]);
  const reply = await server.ask("POST", path, {}, { token });
  expect(reply.body).toMatchObject({ turn: { status: "cancelled" }, error: { by: "olga" } });
  const stream = "session:k";
  const log = await server.engine.store.readEvents({ after: 0, limit: 500, stream });
  expect(log.at(-1)).toMatchObject({ type: "turn.finished", data: { turn: turn.id, by: "olga" } });
});

describe("a browser", () => {
  test("gets a cookie for the token, and the token is removed from the address", async () => {
    const link = await server.request("GET", `/runs?token=${viewer}&tab=1`, undefined, {
      token: null,
    });
    expect([link.status, link.headers.get("location")]).toEqual([303, "/runs?tab=1"]);
    const set = link.headers.get("set-cookie") ?? "";
    expect(set).toMatch(/^reprise_test=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(set).not.toContain(viewer);
    const cookie = `other=1; ${set.split(";")[0]}`;
    const caller = await server.ask("GET", "/v1/caller", undefined, {
      token: null,
      headers: { cookie, origin: "http://localhost" },
    });
    expect(caller.body).toEqual({ name: "vera", role: "viewer" });
    const forged = cookie.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const refused = await server.ask("GET", "/v1/caller", undefined, {
      token: null,
      headers: { cookie: forged },
    });
    expect(refused.status).toBe(401);
  });

  test("can log in with a form too, and log out", async () => {
    const asking = { token: null };
    const login = await server.ask("POST", "/v1/login", { token: server.token }, asking);
    expect([login.status, login.body]).toEqual([204, ""]);
    const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const caller = await server.ask("GET", "/v1/caller", undefined, {
      token: null,
      headers: { cookie },
    });
    expect(caller.body).toEqual({ name: "owner", role: "operator" });
    const wrong = await server.ask("POST", "/v1/login", { token: "wrong" }, asking);
    expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null]);
    const logout = await server.ask("POST", "/v1/logout", {}, { token: null, headers: { cookie } });
    expect(logout.headers.get("set-cookie")).toMatch(/^reprise_test=; .*Max-Age=0/);
  });
});
