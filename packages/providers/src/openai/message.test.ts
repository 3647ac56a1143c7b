import { describe, expect, test } from "vitest";
import { type StoredMessage, wireMessages, withoutDangling } from "./message.ts";

const user = (content: string): StoredMessage => ({ role: "user", content });
const said = (content: string): StoredMessage => ({ role: "assistant", content });
const asks = (...ids: string[]): StoredMessage => ({
  ...said(""),
  calls: ids.map((id) => ({ id, name: "ls", arguments: "{}" })),
});
const result = (call: string): StoredMessage => ({ role: "tool", content: "a.txt", call });

describe("dangling tool calls", () => {
  test("whole pairs stay, also several of one message", () => {
    const messages = [user("one"), asks("a", "b"), result("a"), result("b"), said("done")];
    expect(withoutDangling(messages)).toEqual({ whole: messages, trimmed: 0 });
  });

  test.each<[string, readonly StoredMessage[], readonly StoredMessage[], number]>([
    ["a call at the end", [user("one"), asks("a")], [user("one")], 1],
    ["a call before the next prompt", [asks("a"), user("two")], [user("two")], 1],
    ["one of two calls", [asks("a", "b"), result("b")], [asks("b"), result("b")], 1],
    ["a result of no call", [user("one"), result("a"), said("x")], [user("one"), said("x")], 1],
    ["a result of another call", [asks("a"), result("b"), said("x")], [said("x")], 2],
  ])("%s is left out", (_, messages, whole, trimmed) => {
    expect(withoutDangling(messages)).toEqual({ whole, trimmed });
  });

  test("text beside a dangling call stays", () => {
    const message = { ...asks("a"), content: "I will look." };
    expect(withoutDangling([message]).whole).toEqual([said("I will look.")]);
  });
});

describe("what the service gets", () => {
  test("calls and results in its own form, without what Reprise keeps for itself", () => {
    expect(wireMessages([user("one"), { ...asks("a"), model: "m" }, result("a")])).toEqual([
      { role: "user", content: "one" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "ls", arguments: "{}" } }],
      },
      { role: "tool", content: "a.txt", tool_call_id: "a" },
    ]);
  });

  test("a summary and an opening are the beginning of the first prompt", () => {
    const summary = { role: "summary", content: "APPLE-739" } as const;
    expect(wireMessages([summary, user("one"), said("yes")], ["Be brief."])).toEqual([
      {
        role: "user",
        content: "A summary of the conversation so far:\n\nAPPLE-739\n\nBe brief.\n\none",
      },
      { role: "assistant", content: "yes" },
    ]);
  });
});
