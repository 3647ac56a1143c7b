import { describe, expect, test } from "vitest";
import { answerTo, type Words } from "./answer-to.ts";
import type { AskedQuestion } from "./question.ts";

const turn = "k3v9m2xq0000";
const permission: AskedQuestion = {
  question: { id: "1", kind: "permission", tool: "Bash", input: { command: "deploy" } },
  lost: [],
};
const question: AskedQuestion = {
  question: {
    id: "1",
    kind: "question",
    tool: "ask",
    input: { questions: [{ question: "Which database?" }] },
  },
  lost: [],
};

const undecided: readonly Words[] = [
  {},
  { text: "No, do not run that." },
  { text: "deny" },
  { text: "allow" },
  { text: "yes" },
  { text: "Why?" },
  { comment: "fine" },
  { answers: { "May I use Bash?": "yes" } },
  { by: "ann" },
];
for (const words of undecided)
  test(`S0: ${JSON.stringify(words)} neither allows nor denies a permission`, () => {
    expect(() => answerTo(permission, words, turn)).toThrow(
      expect.objectContaining({
        code: "no-decision",
        exitCode: 2,
        hint: expect.stringMatching(
          /item: "k3v9m2xq", choice: "allow".*item: "k3v9m2xq", choice: "deny"/,
        ),
      }),
    );
  });

const decided = [
  [{ choice: "allow" }, { decision: "allow" }],
  [
    { choice: "allow", comment: "Once." },
    { decision: "allow", comment: "Once." },
  ],
  [{ choice: "deny" }, { decision: "deny", message: "A person said no." }],
  [
    { choice: "deny", by: "ann" },
    { decision: "deny", message: "ann said no." },
  ],
  [
    { choice: "deny", text: "Not now." },
    { decision: "deny", message: "Not now." },
  ],
  [
    { choice: "deny", comment: "Not now." },
    { decision: "deny", message: "Not now." },
  ],
  [{ deny: "Not now." }, { decision: "deny", message: "Not now." }],
  [
    { deny: "No.", text: "Not now." },
    { decision: "deny", message: "No.\nNot now." },
  ],
] as const;
for (const [words, answer] of decided)
  test(`${JSON.stringify(words)} decides a permission`, () => {
    expect(answerTo(permission, words, turn)).toEqual(answer);
  });

const contradictions = [
  [{ choice: "allow", deny: "No." }, "two-answers"],
  [{ choice: "allow", text: "No, wait." }, "text-with-allow"],
  [{ choice: "Allow" }, "unknown-choice"],
  [{ choice: "approve" }, "unknown-choice"],
] as const;
for (const [words, code] of contradictions)
  test(`${JSON.stringify(words)} is refused: ${code}`, () => {
    expect(() => answerTo(permission, words, turn)).toThrow(expect.objectContaining({ code }));
  });

describe("S0j: two questions in one call", () => {
  const [database, port] = ["Which database?", "Which port?"] as const;
  const input = { questions: [{ question: database }, { question: port }] };
  const two: AskedQuestion = { ...question, question: { ...question.question, input } };
  const answers = { [database]: "SQLite", [port]: "5432" };

  test.each<[Words]>([
    [{ answers }],
    [{ answers: { 1: "SQLite", 2: "5432" } }],
    [{ answers: { [database]: "SQLite", 2: "5432" } }],
  ])("%j answers each", (words) => {
    expect(answerTo(two, words, turn)).toEqual({ decision: "allow", answers });
  });

  test.each<[Words, string, string]>([
    [
      { text: "SQLite" },
      "unanswered",
      "The agent asks 2 questions, and one text does not say which it answers: 1. Which database? · 2. Which port?",
    ],
    [{ answers: { 1: "SQLite" } }, "unanswered", "No answer to: 2. Which port?"],
    [{ answers: { 1: "a", 3: "b" } }, "unknown-question", 'The agent did not ask "3".'],
    [{ answers: { 0: "a", 1: "b" } }, "unknown-question", 'The agent did not ask "0".'],
    [
      { answers: { 1: "a", [database]: "b" } },
      "given-twice",
      '"Which database?" is answered twice, by its text and by its number.',
    ],
  ])("%j gets a sentence", (words, code, message) => {
    expect(() => answerTo(two, words, turn)).toThrow(
      expect.objectContaining({ code, message, exitCode: 2 }),
    );
  });
});

test("a question is answered by a text, or refused; a choice does not answer it", () => {
  const answers = { "Which database?": "SQLite" };
  expect(answerTo(question, { text: "SQLite" }, turn)).toEqual({ decision: "allow", answers });
  expect(answerTo(question, { answers, comment: "Small." }, turn)).toEqual({
    decision: "allow",
    answers,
    comment: "Small.",
  });
  expect(answerTo(question, { deny: "Later." }, turn)).toEqual({
    decision: "deny",
    message: "Later.",
  });
  for (const words of [{}, { choice: "allow" }])
    expect(() => answerTo(question, words, turn)).toThrow(expect.objectContaining({ exitCode: 2 }));
});
