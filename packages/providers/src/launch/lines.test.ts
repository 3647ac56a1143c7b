import { describe, expect, it } from "vitest";
import { type LineOptions, lineSplitter } from "./follow.ts";

function split(chunks: Iterable<Uint8Array>, options?: LineOptions): string[] {
  const lines: string[] = [];
  const splitter = lineSplitter((line) => lines.push(line), options);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

function chunksOf(bytes: Uint8Array, size: number): Uint8Array[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

describe("lineSplitter", () => {
  it("gives the same lines wherever the bytes are cut", () => {
    const bytes = Buffer.from('{"a":"ä€😀"}\n\nsecond\r\nlone \r inside\nlast, without newline');
    for (let size = 1; size <= bytes.length; size++) {
      expect(split(chunksOf(bytes, size))).toEqual([
        '{"a":"ä€😀"}',
        "",
        "second",
        "lone \r inside",
        "last, without newline",
      ]);
    }
  });

  it("replaces bad UTF-8", () => {
    const bytes = Buffer.concat([
      Buffer.from("a"),
      Buffer.from([0xff, 0xc3]),
      Buffer.from("b\nc\n"),
    ]);
    expect(split(chunksOf(bytes, 2))).toEqual(["a\ufffd\ufffdb", "c"]);
  });

  it("lets the caller reuse its array", () => {
    const array = new Uint8Array(4);
    const reused = ["abcd", "efgh", "i\nj\n"].map((text) => () => {
      array.set(Buffer.from(text));
      return array;
    });
    expect(split(reused.values().map((fill) => fill()))).toEqual(["abcdefghi", "j"]);
  });

  it("joins a line of 50 MB from small chunks", () => {
    const bytes = Buffer.alloc(50_000_001, "x");
    bytes[50_000_000] = 0x0a;
    const lines = split([...chunksOf(bytes, 1024), Buffer.from("after\n")]);
    expect(lines.map((line) => line.length)).toEqual([50_000_000, 5]);
  });

  it.each([1, 3, 7, 100])("drops a line over the maximum and says so, in chunks of %i", (size) => {
    const dropped: number[] = [];
    const bytes = Buffer.from("123456789\n12345678\n1234567890123\nok\nover the end");
    const options = { maxLine: 8, onDropped: (count: number) => dropped.push(count) };
    expect(split(chunksOf(bytes, size), options)).toEqual(["12345678", "ok"]);
    expect(dropped).toEqual([9, 13, 12]);
  });
});
