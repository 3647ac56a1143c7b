import { expect, test } from "vitest";
import { fileLines, jsonLine, wholeLines } from "./files.ts";

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

test("the lines of a file, with its size after each of them", async () => {
  const all = async (text: string) => {
    const lines = [];
    for await (const line of fileLines(bytes(text))) lines.push(line);
    return lines;
  };
  expect(await all("")).toEqual([]);
  expect(await all("ä\n\nb\nc")).toEqual([
    { text: "ä", end: 3 },
    { text: "b", end: 6 },
    { text: "c", end: 8 },
  ]);
  expect(await all("a\n")).toEqual([{ text: "a", end: 2 }]);
});

test("reading a long file leaves time for other work", async () => {
  let turns = 0;
  const ticking = setInterval(() => {
    turns += 1;
  }, 0);
  const long = bytes(`${"x".repeat(1000)}\n`.repeat(20_000));
  let lines = 0;
  for await (const { text } of fileLines(long)) lines += text.length === 1000 ? 1 : 0;
  clearInterval(ticking);
  expect(lines).toBe(20_000);
  expect(turns).toBeGreaterThan(0);
});
