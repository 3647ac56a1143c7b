import { expect, test } from "vitest";
import type { StoredMessage } from "./message.ts";
import { estimatedTokens, halved, windowOf } from "./window.ts";

/** 100 tokens each, with what every message costs. */
const words = (name: string) => name.padEnd(384, ".");
const turn = (name: string): StoredMessage[] => [
  { role: "user", content: words(name) },
  { role: "assistant", content: words(`answer to ${name}`) },
];
const withTool = (name: string): StoredMessage[] => [
  { role: "user", content: words(name) },
  { role: "assistant", content: "", calls: [{ id: "a", name: "ls", arguments: "{}" }] },
  { role: "tool", content: words("a.txt"), call: "a" },
  { role: "assistant", content: words("done") },
];
const summary: StoredMessage = { role: "summary", content: words("summary") };
const prompt: StoredMessage = { role: "user", content: "now" };

test("everything is sent below the limit, and without one", () => {
  const messages = [...turn("one"), ...turn("two"), prompt];
  expect(estimatedTokens(messages)).toBe(405);
  expect(windowOf(messages, null).sent).toEqual(messages);
  expect(windowOf(messages, 405)).toEqual({ sent: messages, leftOut: [], turns: 0 });
});

test("above it the oldest turns are left out, whole, with their tool pairs", () => {
  const messages = [...withTool("one"), ...turn("two"), ...turn("three"), prompt];
  const { sent, leftOut, turns } = windowOf(messages, 600);
  expect(leftOut).toEqual(withTool("one"));
  expect(sent).toEqual([...turn("two"), ...turn("three"), prompt]);
  expect(turns).toBe(1);
});

test("the prompt and a summary are sent however small the limit is", () => {
  expect(windowOf([summary, ...turn("one"), prompt], 1)).toEqual({
    sent: [summary, prompt],
    leftOut: turn("one"),
    turns: 1,
  });
  expect(windowOf([prompt], 1).sent).toEqual([prompt]);
});

test("the beginning of what is sent stays the same for several turns", () => {
  const beginnings = Array.from({ length: 20 }, (_, last) => {
    const turns = Array.from({ length: last }, (_, number) => turn(String(number)));
    return windowOf([...turns.flat(), prompt], 1600).sent[0]!.content.slice(0, 2);
  });
  expect(new Set(beginnings.slice(0, 8))).toEqual(new Set(["no", "0."]));
  // A quarter of the limit is two turns.
  expect(beginnings.slice(8, 12)).toEqual(["2.", "2.", "4.", "4."]);
});

test("half of the turns are left out, until only one is left", () => {
  const messages = [summary, ...turn("one"), ...turn("two"), ...turn("three"), prompt];
  const once = halved(messages);
  expect(once).toEqual([summary, ...turn("three"), prompt]);
  expect(halved(once!)).toEqual([summary, prompt]);
  expect(halved([summary, prompt])).toBeNull();
});
