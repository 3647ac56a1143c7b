import { expect, test } from "vitest";
import { questionParts, questionTitle } from "./question.ts";

test("the questions of a call are found with their options; another input is shown as it is", () => {
  const input = {
    questions: [
      { question: "Which?", options: [{ label: "one" }, "two", { other: 1 }] },
      { question: 5 },
    ],
  };
  expect(questionParts({ tool: "ask", input })).toEqual([
    { text: "Which?", options: ["one", "two"] },
  ]);
  expect(questionParts({ tool: "ask", input: { prompt: "?" } })).toEqual([
    { text: 'May I use ask: {"prompt":"?"}?', options: [] },
  ]);
});

test("S0j: several questions are numbered in a title, a single one is not", () => {
  const asks = (...texts: string[]) =>
    questionTitle({ tool: "ask", input: { questions: texts.map((question) => ({ question })) } });
  expect(asks("Which database?", "Which port?")).toBe("1. Which database? · 2. Which port?");
  expect(asks("Which database?")).toBe("Which database?");
});
