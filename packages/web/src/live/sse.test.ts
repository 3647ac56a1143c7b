import { expect, test } from "vitest";
import { EventReader } from "./sse.ts";

test("events are read however the stream is cut, and comments say nothing", () => {
  const text =
    'retry: 1000\n\nid: 7\nevent: run.started\ndata: {"seq":7}\n\n: still here\n\nid: 8\ndata: a\ndata: b\n\n';
  for (const size of [1, 2, 7, text.length]) {
    const reader = new EventReader();
    const found = [];
    for (let at = 0; at < text.length; at += size)
      found.push(...reader.read(text.slice(at, at + size)));
    expect(found).toEqual([
      { id: "7", data: '{"seq":7}' },
      { id: "8", data: "a\nb" },
    ]);
  }
});

test("what is not whole is kept back", () => {
  const reader = new EventReader();
  expect(reader.read("id: 1\ndata: half")).toEqual([]);
  expect(reader.read("\n\n")).toEqual([{ id: "1", data: "half" }]);
});
