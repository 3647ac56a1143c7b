import { expect, test } from "vitest";
import type { SeenMessage } from "./model.ts";
import { remembering } from "./remembering.ts";

const user = (text: string): SeenMessage => ({ role: "user", text });
const answer = (...messages: SeenMessage[]) => remembering({ messages });
const question = "what did I ask you to remember?";

test("remembers what an earlier message said, the last one first", () => {
  const past = [user("remember APPLE-739"), { role: "assistant", text: "Yes." } as const];
  expect(answer(...past)).toEqual({ text: "I will remember APPLE-739." });
  expect(answer(...past, user(question))).toEqual({ text: "APPLE-739" });
  expect(answer(...past, user("remember PEAR"), user(question))).toEqual({ text: "PEAR" });
  expect(answer(user(question))).toEqual({ text: "You did not ask me to remember anything." });
});

test("remembers what a pasted transcript says", () => {
  const labelled = `Before:\n\nUser: remember APPLE-739\nAssistant: I will.\n\n${question}`;
  const tagged = `<reprise:message role="user">\nremember APPLE-739\n</reprise:message>\n${question}\n`;
  expect(answer(user(labelled))).toEqual({ text: "APPLE-739" });
  expect(answer(user(tagged))).toEqual({ text: "APPLE-739" });
});

test.each([
  "Your task is to create a detailed summary of the conversation so far.",
  "You are performing a CONTEXT CHECKPOINT COMPACTION.",
  "You are about to forget this conversation. Write a summary.",
])("sums up what it remembers: %s", (wanted) => {
  expect(answer(user("remember APPLE-739"), user("echo on"), user(wanted))).toEqual({
    text: "<summary>\nSummed up 3 messages.\nremember APPLE-739\n</summary>",
  });
});

test("only the last line is a command", () => {
  expect(answer(user(`User: ${question}\n\nand now?`))).toEqual({
    text: "I have seen 1 user message.",
  });
  expect(answer(user("one"), user("two"))).toEqual({ text: "I have seen 2 user messages." });
  expect(answer(user("notes\necho hello there"))).toEqual({ text: "hello there" });
});

test("runs a command and repeats its output", () => {
  expect(answer(user("run ls"))).toEqual({ shell: "ls" });
  const output = { role: "tool", text: "a.txt\n" } as const;
  expect(answer(user("run ls"), output)).toEqual({ text: "It said: a.txt" });
  expect(answer(user("run ls"), output, user("run ls"))).toEqual({ shell: "ls" });
});
