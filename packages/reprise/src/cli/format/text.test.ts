import { expect, test } from "vitest";
import { clip, inert, oneLine, shorten, textWidth, wrap } from "./text.ts";

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

test("a clipped sentence loses its end, by whole words where it can", () => {
  expect(clip("one two three four", 16)).toBe("one two three…");
  expect(clip("incomprehensible", 8)).toBe("incompr…");
  expect(clip("short", 8)).toBe("short");
});

test("words wrap, and a word longer than the line stays whole", () => {
  expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]);
  expect(wrap("a incomprehensible b", 6)).toEqual(["a", "incomprehensible", "b"]);
});

test("what a terminal would obey is removed, what a person reads stays", () => {
  expect(inert("\u001b[31mred\u001b[0m\u0007\tand\r\nmore\u009b2J")).toBe("red\tand\nmore");
  expect(oneLine("  a\n\n\tb\u001b]0;title\u0007 c ")).toBe("a b c");
});
