import { expect, test } from "vitest";
import { UsageError } from "../errors/errors.ts";
import { isSessionKey, sessionKey } from "./key.ts";

test.each(["a", "0", "wf:42:agent:coder", "A.b_c:d-e", "x".repeat(200)])("%s is a key", (text) => {
  expect(sessionKey(text)).toBe(text);
});

test.each([
  "",
  " ",
  ":a",
  "-a",
  ".a",
  "_a",
  "a b",
  "a/b",
  "a\n",
  "\na",
  "ä",
  "a\u0000",
  "x".repeat(201),
])("%j is not a key", (text) => {
  expect(isSessionKey(text)).toBe(false);
  expect(() => sessionKey(text)).toThrow(UsageError);
});

test("a long text is not repeated whole", () => {
  expect(() => sessionKey("/".repeat(10_000))).toThrow(/^"\/{60}…" is not a session key\.$/);
});
