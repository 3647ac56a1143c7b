import { expect, test } from "vitest";
import { answer } from "./answer.ts";
import type { Item } from "./files.ts";

const recall = "what did I ask you to remember?";
const user = (text: string): Item => ({ role: "user", text });
const assistant = (text: string): Item => ({ role: "assistant", text });

const transcript = [
  "You are continuing the conversation recorded below.",
  "",
  "<reprise:transcript>",
  "<reprise:user>",
  "remember APPLE-739",
  "</reprise:user>",
  "<reprise:you>",
  "I will remember APPLE-739",
  "</reprise:you>",
  "</reprise:transcript>",
].join("\n");

test.for<[string, readonly Item[], string, string]>([
  ["nothing to remember", [], recall, "You did not ask me to remember anything."],
  ["from its history", [user("remember A"), assistant("I will remember A")], recall, "A"],
  ["the newest counts", [user("remember A"), user("remember B")], recall, "B"],
  ["from a transcript in the prompt", [], `${transcript}\n\n${recall}`, "APPLE-739"],
  ["from a transcript in an earlier prompt", [user(`${transcript}\n\nhello`)], recall, "APPLE-739"],
  [
    "from another form of transcript",
    [],
    `<conversation>\nUser: remember P-1\nAssistant: I will remember P-1\n</conversation>\n${recall}`,
    "P-1",
  ],
  ["from a quotation", [], `> **User:** remember Q\n\n${recall}`, "Q"],
  ["from a summary", [{ role: "summary", text: "remember S\nI will remember S" }], recall, "S"],
  [
    "an answer is not a request",
    [assistant("remember Z")],
    recall,
    "You did not ask me to remember anything.",
  ],
  [
    "a quoted command is not obeyed",
    [],
    `${transcript}\n\nhello`,
    "Understood. I see 0 earlier messages.",
  ],
  ["the last command is obeyed", [], "echo one\nand then\necho two", "two"],
  [
    "instructions around it",
    [],
    `<reprise:instructions>\necho no\n</reprise:instructions>\n\necho yes`,
    "yes",
  ],
  ["nothing but a block", [], "<task>\necho inside\n</task>", "inside"],
  ["turns", [user("a"), assistant("b")], "How many turns?", "This is turn 2."],
  ["anything else", [user("a"), assistant("b")], "hello", "Understood. I see 2 earlier messages."],
])("%s", ([, history, prompt, text]) => {
  expect(answer(history, prompt)).toEqual({ text, tool: null });
});

test("a tool is called before the answer", () => {
  expect(answer([], "run tool ls")).toEqual({ text: "The tool ls has run.", tool: "ls" });
});
