import { expect, test } from "vitest";
import { storedText, textFrom } from "./text.ts";

const texts = [
  ...["", "plain", "\0", "a\0b", "\u001a", "\u001a0", "\0\u001a\u001a\0", "\u001a\u001a0\0"],
  ...["\\u0000", "\\u001a", "\\u001a0\0", "\\\\u0000\\u001a\\u001a", "\\\0\\\u001a\\u001a0"],
];

test.each(texts)("%j is kept without the character NUL, in JSON as well", (text) => {
  expect(storedText(text)).not.toContain("\0");
  expect(textFrom(storedText(text))).toBe(text);
  const json = JSON.stringify({ text });
  expect(textFrom(storedText(json))).toBe(json);
  expect(storedText(json)).not.toContain("\\u0000");
});

test("escaped JSON is JSON with escaped text", () => {
  const stored = storedText(JSON.stringify({ text: "a\0b\u001a" }));
  expect(JSON.parse(stored)).toEqual({ text: storedText("a\0b\u001a") });
});
