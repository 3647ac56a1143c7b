import { expect, test } from "vitest";
import type { HistoryItem } from "./history.ts";
import { typedMeanwhile } from "./typed-meanwhile.ts";

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
