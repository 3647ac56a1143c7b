import { expect, test } from "vitest";
import {
  clip,
  cutLine,
  inert,
  inertLine,
  oneLine,
  rowsOf,
  shorten,
  textWidth,
  wrap,
} from "./text.ts";

test.each([
  ["plain", 5],
  ["naïve", 5],
  ["e\u0301", 1],
  ["日本", 4],
  ["👍🏽", 2],
  ["a ✓ b", 5],
])("%s is %i columns wide", (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test.each([
  ["/home/me/projects/parser", 24, "/home/me/projects/parser"],
  ["/home/me/projects/parser", 11, "/home…arser"],
  ["日本語日本語", 7, "日本…語"],
  ["long", 1, "…"],
  ["long", 0, ""],
])("%s shortened to %i columns keeps both ends", (text, width, short) => {
  expect(shorten(text, width)).toBe(short);
  expect(textWidth(short)).toBeLessThanOrEqual(width);
});

test("a clipped sentence is cut at the end, after a whole word if possible", () => {
  expect(clip("one two three four", 16)).toBe("one two three…");
  expect(clip("incomprehensible", 8)).toBe("incompr…");
  expect(clip("short", 8)).toBe("short");
});

test("a line with colours is cut by its columns, and every colour is reset", () => {
  const line = "\u001b[1m日本語\u001b[22m · \u001b[32mdone\u001b[39m";
  expect(cutLine(line, 13)).toBe(line);
  expect(cutLine(line, 10)).toBe("\u001b[1m日本語\u001b[22m · \u001b[32m…\u001b[39m");
  expect(cutLine(line, 4)).toBe("\u001b[1m日…\u001b[22m\u001b[32m\u001b[39m");
  expect(cutLine("plain", 0)).toBe("…");
});

test.each([
  ["", 4, 1],
  ["four", 4, 1],
  ["fives", 4, 2],
  ["\u001b[1m日本語\u001b[22m", 3, 3],
])("%j takes on %i columns %i rows", (line, width, rows) => {
  expect(rowsOf(line, width)).toBe(rows);
});

test("words wrap, and a word longer than the line stays whole", () => {
  expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]);
  expect(wrap("a incomprehensible b", 6)).toEqual(["a", "incomprehensible", "b"]);
});

test("V16: control characters are escaped, colours are removed", () => {
  expect(inert("\u001b[31mred\u001b[0m\u0007\tand\r\nmore\u009b2J")).toBe(
    "red\\u0007\tand\nmore\\u009b2J",
  );
  expect(oneLine("  a\n\n\tb\u001b]0;title\u0007 c \u202e")).toBe(
    "a b\\u001b]0;title\\u0007 c \\u202e",
  );
});

test("V16: a line keeps our colours, and all other control characters are escaped", () => {
  expect(inertLine("\u001b[1mbold\u001b[22m \u001b[8mhidden\u001b[2J\u202e")).toBe(
    "\u001b[1mbold\u001b[22m \\u001b[8mhidden\\u001b[2J\\u202e",
  );
});
