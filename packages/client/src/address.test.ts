import { expect, test } from "vitest";
import { addressOf } from "./address.ts";

test("names in the path are taken from the input, what is left is the query or the body", () => {
  const input = { key: "wf:1", force: true, reason: undefined, at: null };
  expect(addressOf({ method: "DELETE", path: "/v1/sessions/{key}" }, input)).toEqual({
    path: "/v1/sessions/wf%3A1",
    query: { force: "true" },
    body: null,
  });
  expect(addressOf({ method: "POST", path: "/v1/sessions/{key}/hold" }, input)).toEqual({
    path: "/v1/sessions/wf%3A1/hold",
    query: {},
    body: { force: true },
  });
});

test.each(["", ".", ".."])("%j cannot be a name in a path", (turn) => {
  expect(() => addressOf({ method: "GET", path: "/v1/turns/{turn}" }, { turn })).toThrow(
    expect.objectContaining({ code: "bad-input" }),
  );
});

test("what could be taken for another path is escaped", () => {
  const { path } = addressOf({ method: "GET", path: "/v1/turns/{turn}" }, { turn: "../a?b#c/ü" });
  expect(path).toBe("/v1/turns/..%2Fa%3Fb%23c%2F%C3%BC");
});
