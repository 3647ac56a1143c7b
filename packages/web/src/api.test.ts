import { routes } from "@reprise/core/api/routes";
import { beforeEach, expect, test, vi } from "vitest";
import * as api from "./api.ts";
import { fill } from "./ask.ts";

const asked: { method: string; path: string }[] = [];

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal("fetch", async (path: string, { method }: { method: string }) => {
    asked.push({ method, path });
    return new Response("{}");
  });
});

test("every path that the page asks is one of the server's routes", async () => {
  const { login: _, doctor, ...groups } = api;
  const calls = [doctor, ...Object.values(groups).flatMap((group) => Object.values(group))];
  // What is asked for does not matter here: an object has any name in it, a text has none.
  const argument = { run: "x", item: "x", key: "x" };
  for (const call of calls as ((...args: unknown[]) => Promise<unknown>)[])
    for (const given of [argument, "x"]) await call(given, "x").catch(() => {});
  const patterns = routes.map(({ method, path }) => ({
    method,
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}(\\?.*)?$`),
  }));
  expect(asked.length).toBeGreaterThanOrEqual(calls.length);
  for (const { method, path } of asked)
    expect(patterns.some((route) => route.method === method && route.path.test(path))).toBe(true);
});

test("names in a path are filled in and escaped, the rest is left", () => {
  expect(fill("/v1/a/{key}/b", { key: "x/?y", more: 1 })).toEqual({
    filled: "/v1/a/x%2F%3Fy/b",
    rest: { more: 1 },
  });
});

test("long work is answered when it is written, and every try of an answer has one key", async () => {
  const keys: unknown[] = [];
  vi.stubGlobal("fetch", async (path: string, { headers }: { headers: object }) => {
    keys.push([path, (headers as Record<string, string>)["idempotency-key"]]);
    return new Response(null, { status: 202 });
  });
  const answer = () => api.inbox.answer({ item: "i", choice: "yes" }, { idempotencyKey: "k" });
  expect(await answer()).toBeUndefined();
  await answer();
  expect(keys).toEqual([
    ["/v1/inbox/i/answer?wait=0", "k"],
    ["/v1/inbox/i/answer?wait=0", "k"],
  ]);
});
