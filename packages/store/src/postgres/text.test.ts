import { expect, test } from "vitest";
import { storedText, textFrom } from "./text.ts";

test.each(["", "plain", "\0", "a\0b", "\u001a", "\u001a0", "\0\u001a\u001a\0", "\u001a\u001a0\0"])(
  "%j is kept without the character NUL",
  (text) => {
    expect(storedText(text)).not.toContain("\0");
    expect(textFrom(storedText(text))).toBe(text);
  },
);
