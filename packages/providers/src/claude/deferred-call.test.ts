import { expect, test } from "vitest";
import { deferredIn } from "./deferred-call.ts";

const asked = { type: "assistant", message: { content: [{ type: "tool_use", id: "toolu_1" }] } };
const mark = {
  type: "attachment",
  attachment: { type: "hook_deferred_tool", toolUseID: "toolu_1" },
};
const prompt = { type: "user", message: { content: "continue" } };
const said = { type: "assistant", message: { content: [{ type: "text", text: "done" }] } };
const subagent = { ...said, isSidechain: true };
const leaf = { type: "last-prompt", leafUuid: "x" };

test.each<[string, readonly unknown[], string | null | undefined]>([
  ["nothing was deferred", [prompt, said, leaf], null],
  ["a call is deferred", [prompt, asked, mark, leaf], "toolu_1"],
  [
    "deferred again, and a prompt follows that was not answered",
    [asked, mark, mark, prompt],
    "toolu_1",
  ],
  ["the model has spoken since", [asked, mark, prompt, said, leaf], null],
  ["only a subagent has spoken since", [asked, mark, subagent], "toolu_1"],
  ["only a prompt", [prompt], undefined],
  ["an empty file", [], undefined],
])("%s", (_, entries, expected) => {
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  expect(deferredIn(lines)).toBe(expected);
  // The tail of a long file begins in the middle of a line.
  expect(deferredIn(`ge":{"content":"x"}}\n${lines}`)).toBe(expected);
});
