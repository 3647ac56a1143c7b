/** Logins of browsers: each can be ended, expires, and is for one home. */

import { expect, onTestFinished, test } from "vitest";
import { TestApp } from "./test-app.ts";
import { revokeToken } from "./tokens.ts";

async function open(change: (app: TestApp) => void = () => {}): Promise<TestApp> {
  const app = await TestApp.open();
  onTestFinished(() => app.close());
  change(app);
  app.app = app.build(app.reprise, app.work);
  return app;
}

async function login(app: TestApp, token = app.token): Promise<string> {
  const reply = await app.ask("POST", "/v1/login", { token }, { token: null });
  expect(reply.status).toBe(204);
  return (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

const caller = async (app: TestApp, cookie: string) =>
  (await app.ask("GET", "/v1/caller", undefined, { token: null, headers: { cookie } })).status;

test("V9: a logout ends this login on the server, and no other", async () => {
  const app = await open();
  const [one, other] = [await login(app), await login(app)];
  expect(one).not.toBe(other);
  const asking = { token: null, headers: { cookie: one } };
  expect((await app.ask("POST", "/v1/logout", {}, asking)).status).toBe(204);
  expect([await caller(app, one), await caller(app, other)]).toEqual([401, 200]);
});

test("V9: a login ends with its token, and expires after 30 days", async () => {
  const app = await open();
  const token = await app.tokenFor("vera", "viewer");
  const [own, hers] = [await login(app), await login(app, token)];
  await revokeToken(app.engine.store, { name: "vera", at: app.now() });
  expect([await caller(app, own), await caller(app, hers)]).toEqual([200, 401]);
  const late = Date.now() + 31 * 24 * 60 * 60 * 1000;
  app.now = () => late;
  expect(await caller(app, own)).toBe(401);
});

test("V9: two homes on one machine have separate cookies", async () => {
  const one = await open((app) => Object.assign(app, { home: "a1".repeat(20) }));
  const other = await open((app) => Object.assign(app, { home: "b2".repeat(20) }));
  const [first, second] = [await login(one), await login(other)];
  expect(first.split("=")[0]).not.toBe(second.split("=")[0]);
  // A browser sends both to either port.
  const both = `${first}; ${second}`;
  expect([await caller(one, both), await caller(other, both)]).toEqual([200, 200]);
  const crossed = `${first.split("=")[0]}=${second.split("=")[1]}`;
  expect([await caller(one, second), await caller(one, crossed)]).toEqual([401, 401]);
});

test("V18: a token with too many requests gets a retry time, and delays no other", async () => {
  let now = Date.now();
  const app = await open((app) => Object.assign(app, { rateLimit: 2, now: () => now }));
  const token = await app.tokenFor("vera", "viewer");
  const ask = (mine: string) => app.ask("GET", "/v1/caller", undefined, { token: mine });
  for (let request = 0; request < 10; request += 1) expect((await ask(token)).status).toBe(200);
  const refused = await ask(token);
  expect([refused.status, refused.body.code]).toEqual([429, "too-many-requests"]);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await ask(app.token)).status).toBe(200);
  now += 1000;
  expect((await ask(token)).status).toBe(200);
});

test("V18: a page of a listing has at most 1000 rows, and a larger limit is refused", async () => {
  const app = await open();
  for (const path of ["/v1/sessions", "/v1/runs", "/v1/inbox"]) {
    expect((await app.ask("GET", `${path}?limit=1000`)).status).toBe(200);
    const refused = await app.ask("GET", `${path}?limit=1001`);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining("1000")]);
  }
});
