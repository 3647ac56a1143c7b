import { expect, test } from "vitest";
import { type HistoryItem, notKept, typedMeanwhile } from "./history.ts";

const item = (role: HistoryItem["role"], text: string): HistoryItem => ({
  role,
  text,
  digest: text,
});
const prompt = item("user", "Catch up.\n\nRun the tests.");
const tool = item("tool", "npm test");
const answer = item("assistant", "All pass.");
const typed = item("user", "Use port 81.");
const said = item("assistant", "Port 81 it is.");
const turn = { prompts: ["Run the tests."], answer: "All pass." };

test.each<[string, HistoryItem[], HistoryItem[]]>([
  ["nothing", [prompt, tool, answer], []],
  ["a message before our answer", [prompt, typed, tool, answer], [typed]],
  ["a message and its answer", [prompt, tool, typed, said, answer], [typed, said]],
  ["a message before our prompt", [typed, said, prompt, answer], [typed, said]],
  ["our prompt again, in a second attempt", [prompt, tool, prompt, answer], []],
  ["a note of the program", [prompt, item("user", "<task-notification>done"), said, answer], []],
  ["a history without our prompt", [typed, said], []],
])("S0j: typed meanwhile: %s", (_, items, found) => {
  expect(typedMeanwhile(items, turn)).toEqual(found);
});

const at = (text: string, end: number) => ({ text, end });

test.each([
  ["what was typed beside it", [at("Use port 81.", 20)], [prompt], ["Use port 81."], false],
  ["nothing from before the turn", [at("Use port 81.", 10)], [prompt], [], false],
  ["nothing of the program", [at("<task-notification>done", 20)], [prompt], [], false],
  ["the turn itself", [at("Run the tests.", 20)], [typed, said], [], true],
  ["the turn only in one of two attempts", [at("Run the tests.", 20)], [prompt], [], false],
])("S0j: not kept: %s", (_, abandoned, gained, typedTexts, itself) => {
  expect(notKept(abandoned, gained, turn, 10)).toEqual({ typed: typedTexts, turn: itself });
});

test("S0j: what was typed is imported also if the agent did not keep the turn", () => {
  expect(typedMeanwhile([typed, said], turn, true)).toEqual([typed, said]);
});
