import { expect, test } from "vitest";
import { inertJson, visibleControls } from "./visible-controls.ts";

test("V16: what a terminal obeys and what reorders text is written out", () => {
  expect(visibleControls("a\u001b]0;t\u0007b\u009b2J\u007f")).toBe(
    "a\\u001b]0;t\\u0007b\\u009b2J\\u007f",
  );
  expect(visibleControls("pay \u202e001\u202c now\u2066\u061c\u200f")).toBe(
    "pay \\u202e001\\u202c now\\u2066\\u061c\\u200f",
  );
  expect(visibleControls("tab\tand\nline, ÄÖ 日本語 👩‍👩‍👧 שלום")).toBe(
    "tab\tand\nline, ÄÖ 日本語 👩‍👩‍👧 שלום",
  );
});

test("V16: JSON keeps its value, and has none of them in it", () => {
  const value = { "k\u202e": ["\u009b2J", "\u2028", "\u001b[2J", "\u007f", "ÄÖ"] };
  const text = inertJson(value, 2);
  expect(JSON.parse(text)).toEqual(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
  expect(text).toContain("ÄÖ");
  expect(inertJson(undefined)).toBe("null");
});
