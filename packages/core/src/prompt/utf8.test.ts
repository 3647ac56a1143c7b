import fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Head, utf8Length } from "./utf8.ts";

const anyText = fc
  .array(fc.constantFrom("a", "é", "€", "😀", "\ud800", "\udc00", "\u0000"))
  .map((characters) => characters.join(""));
const encoded = (text: string) => new TextEncoder().encode(text).length;

test("the length is that of the encoded text, lone surrogates included", () => {
  fc.assert(fc.property(anyText, (text) => utf8Length(text) === encoded(text)));
});

test("the head is the longest beginning that fits, and never ends in half a character", () => {
  fc.assert(
    fc.property(anyText, fc.nat({ max: 30 }), (text, maxBytes) => {
      const head = utf8Head(text, maxBytes);
      expect(text.startsWith(head)).toBe(true);
      expect(utf8Length(head)).toBeLessThanOrEqual(maxBytes);
      const [next = ""] = [...text.slice(head.length)];
      if (next !== "") expect(utf8Length(head + next)).toBeGreaterThan(maxBytes);
    }),
  );
  expect(utf8Head("a😀b", 4)).toBe("a");
  expect(utf8Head("a😀b", 5)).toBe("a😀");
  expect(utf8Head("abc", -1)).toBe("");
});
