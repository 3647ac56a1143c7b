import { expect, test } from "vitest";
import { jsonLine, wholeLines } from "./json-lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("a line with a JSON object is that object, any other line is null", () => {
  expect(jsonLine('{"type":"text"}')).toEqual({ type: "text" });
  for (const line of ["", "hello", "[1]", "12", '"{"', "{", "null", '{"a":'])
    expect(jsonLine(line)).toBeNull();
});

test("a torn last line, or a byte that is not UTF-8, makes the whole file unreadable", () => {
  expect(wholeLines(bytes("a\nb\n"))).toEqual(["a", "b"]);
  expect(wholeLines(bytes(""))).toEqual([]);
  expect(wholeLines(bytes("a\nb"))).toBeNull();
  expect(wholeLines(new Uint8Array([0x61, 0xff, 0x0a]))).toBeNull();
});
