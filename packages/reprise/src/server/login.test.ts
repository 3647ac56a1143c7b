/** Logins of browsers: each can be ended, expires, and is for one home. */

import { createToken, rotateToken } from "@reprise/engine/tokens";
import { expect, onTestFinished, test } from "vitest";
import { TestApp } from "./test-app.ts";

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
  await app.engine.store.revokeToken({ name: "vera", at: app.now() });
  expect([await caller(app, own), await caller(app, hers)]).toEqual([200, 401]);
  const late = Date.now() + 31 * 24 * 60 * 60 * 1000;
  app.now = () => late;
  expect(await caller(app, own)).toBe(401);
});

const day = 24 * 60 * 60 * 1000;

test("V19: an expired token is refused with its date, and its logins end", async () => {
  const start = Date.UTC(2026, 0, 1, 12);
  let now = start;
  const app = await open((app) => Object.assign(app, { now: () => now }));
  const { store } = app.engine;
  const ci = { name: "ci", role: "operator" };
  const { token } = await createToken(store, { ...ci, lasts: 10 * day, at: now });
  const cookie = await login(app, token);
  const ask = (mine: string) => app.ask("GET", "/v1/caller", undefined, { token: mine });
  now = start + 10 * day - 1;
  expect([(await ask(token)).status, await caller(app, cookie)]).toEqual([200, 200]);
  now += 1;
  const sentence = "The token ci expired on 2026-01-11 12:00 UTC; create a new one, or rotate it.";
  const refused = await ask(token);
  expect(refused.status).toBe(401);
  expect(refused.body).toMatchObject({ code: "token-expired", detail: sentence });
  expect(await caller(app, cookie)).toBe(401);
  const again = await app.ask("POST", "/v1/login", { token }, { token: null });
  expect([again.status, again.body.detail]).toEqual([401, sentence]);

  const rotated = await rotateToken(store, { name: "ci", at: now });
  expect(rotated.expiresAt).toBe(now + 10 * day);
  expect((await ask(rotated.token)).status).toBe(200);
  expect((await ask(token)).body.code).toBe("token-expired");
});

test("V19: a rotated token is valid for its grace period, its logins too", async () => {
  const start = Date.now();
  let now = start;
  const app = await open((app) => Object.assign(app, { now: () => now }));
  const { store } = app.engine;
  const old = await app.tokenFor("vera", "viewer");
  const cookie = await login(app, old);
  const { token } = await rotateToken(store, { name: "vera", grace: 1000, at: now });
  const seen = async (mine: string) =>
    (await app.ask("GET", "/v1/caller", undefined, { token: mine })).body;
  now = start + 999;
  expect([await seen(old), await seen(token)]).toMatchObject([{ name: "vera" }, { name: "vera" }]);
  expect(await caller(app, cookie)).toBe(200);
  now = start + 1000;
  expect([await seen(old), await seen(token)]).toMatchObject([
    { code: "no-token" },
    { name: "vera", role: "viewer" },
  ]);
  expect(await caller(app, cookie)).toBe(401);
  const next = await rotateToken(store, { name: "vera", at: now });
  expect([await seen(token), await seen(next.token)]).toMatchObject([
    { code: "no-token" },
    { name: "vera" },
  ]);
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
