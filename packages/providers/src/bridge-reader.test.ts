import { expect, test } from "vitest";
import { reader } from "./bridge-reader.ts";

const read = (...lines: readonly unknown[]) => {
  const each = reader();
  return lines.flatMap((line) => each.line(typeof line === "string" ? line : JSON.stringify(line)));
};

test("the bridge's lines are events as they are", () => {
  const usage = { cachedRead: 1, cachedWrite: null, uncached: 2, output: 3 };
  const events = [
    { type: "session", id: "1" },
    { type: "note", text: "Left out." },
    { type: "text", text: "Hel" },
    { type: "model", name: "gpt-x" },
    { type: "version", version: "1.2.3" },
    { type: "tool", name: "ls" },
    { type: "denied", id: "a", tool: "ls", detail: "{}" },
    { type: "usage", usage },
    { type: "result", text: "Hello" },
  ];
  expect(read(...events)).toEqual(events);
});

test("a failure keeps its kind, and nothing follows it", () => {
  const failure = { kind: "quota", message: "No.", resetAt: 1 };
  expect(read({ type: "failure", failure }, { type: "result", text: "Yes" })).toEqual([
    { type: "failure", failure },
  ]);
  expect(read({ type: "failure", failure: { kind: "other", message: "No." } })).toEqual([]);
});

test("a bridge that ends without a word is an unknown failure, with what it said", () => {
  const end = (code: number | null, stderr = "") => reader().end({ code, stderr });
  expect(end(1, "Error: no\n")).toEqual([
    { type: "failure", failure: { kind: "unknown", message: "Error: no" } },
  ]);
  expect([end(0), end(null), end(143)]).toEqual([[], [], []]);
});
