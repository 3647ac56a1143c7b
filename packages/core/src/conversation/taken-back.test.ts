import { expect, test } from "vitest";
import { takenBackMessages } from "./slice.ts";

type Said = { readonly role: "user" | "assistant" | "tool"; readonly text: string };

/** `u:` and `a:` are what a user and an assistant say, `t:` is a tool. */
function said(...lines: string[]): Said[] {
  const roles = { u: "user", a: "assistant", t: "tool" } as const;
  return lines.map((line) => ({ role: roles[line[0] as "u" | "a" | "t"], text: line.slice(2) }));
}

const focus = "Earlier questions are settled.\n\n";

const cases: [string, Said[], Said[], number, string[]][] = [
  [
    "the last turn",
    said("u:one", "a:1", "u:two", "a:2"),
    said("u:one", "a:1", `u:${focus}two`, "t:ls", "a:2"),
    2,
    ["two", "2"],
  ],
  [
    "two turns with the same prompt",
    said("u:go", "a:ok", "u:go", "a:ok", "u:go", "a:ok"),
    said("u:go", "a:ok", "u:go", "a:ok", "u:go", "a:ok"),
    2,
    ["go", "ok", "go", "ok"],
  ],
  [
    "words between tools that an earlier answer also had",
    said("u:one", "a:ok", "u:two", "a:done"),
    said("u:one", "a:ok", "u:two", "a:ok", "t:ls", "a:done"),
    2,
    ["two", "done"],
  ],
  [
    "an answered question, whose answer is not a prompt of the provider",
    said("u:one", "a:1", "u:ask", "u:My answer: red", "a:red it is"),
    said("u:one", "a:1", "u:ask", "t:question", "t:red", "a:red it is"),
    2,
    ["ask", "My answer: red", "red it is"],
  ],
  [
    "the prompt of a compaction, which is not a message",
    said("u:one", "a:1", "u:two", "a:2"),
    said("u:one", "a:1", "u:Compact this.", "a:OK", "u:two", "a:2"),
    2,
    ["two", "2"],
  ],
  [
    "the answer alone",
    said("u:one", "a:1", "u:two", "a:2"),
    said("u:one", "a:1", "u:two", "t:ls", "a:2"),
    4,
    ["2"],
  ],
  [
    "everything, with what the first prompt quoted",
    said("u:old", "a:0", "u:one", "a:1"),
    said("u:Transcript: old 0\n\none", "a:1"),
    0,
    ["old", "0", "one", "1"],
  ],
  ["nothing but a tool", said("u:one", "a:1"), said("u:one", "a:1", "t:note"), 2, []],
];

test.each(cases)("%s", (_, messages, pinned, kept, expected) => {
  const taken = takenBackMessages(
    messages.map(({ role, text }) => ({ role: role as "user" | "assistant", text })),
    pinned,
    kept,
  );
  expect(taken.map(({ text }) => text)).toEqual(expected);
});
