/** Turns what a person said into an answer for the agent, or explains why it is not an answer. */

import { UsageError } from "../errors/errors.ts";
import { option, slot, verb } from "../errors/hint.ts";
import { suggest } from "../errors/suggestion.ts";
import {
  type AskedQuestion,
  numbered,
  type PermissionChoice,
  permissionChoices,
  type QuestionAnswer,
  questionTexts,
} from "./question.ts";

/** What a caller said, on any surface. */
export interface Words {
  readonly text?: string | null | undefined;
  readonly answers?: Readonly<Record<string, string>> | null | undefined;
  /** For a permission: `allow` or `deny`. */
  readonly choice?: string | null | undefined;
  /** Denies a permission, or refuses to answer, and says why. */
  readonly deny?: string | null | undefined;
  readonly comment?: string | null | undefined;
  readonly by?: string | null | undefined;
}

/** @throws UsageError if the words do not answer what `turn` asked; then nothing may change. */
export function answerTo({ question }: AskedQuestion, words: Words, turn: string): QuestionAnswer {
  return question.kind === "permission"
    ? permissionAnswer(question.tool, words, turn)
    : questionAnswer(questionTexts(question), words);
}

/** Only an explicit allow allows and only an explicit deny denies; free text does neither. */
function permissionAnswer(tool: string, words: Words, turn: string): QuestionAnswer {
  const { text, answers, deny, comment } = words;
  const choice = permissionChoice(words.choice ?? null);
  const asks = `Turn ${turn.slice(0, 8)} asks whether it may use ${tool}`;
  if (deny != null && choice === "allow")
    throw new UsageError(
      "two-answers",
      `${asks}, and the answer says both allow and deny.`,
      ways(turn, "Give only one of them."),
    );
  if (choice === "deny" || deny != null)
    return { decision: "deny", message: reason([deny, text, comment], words) };
  if (choice === null)
    throw new UsageError(
      "no-decision",
      text == null && answers == null
        ? `${asks}, and the answer neither allows nor denies it.`
        : `${asks}; a text neither allows nor denies it.`,
      ways(turn, "Nothing was changed."),
    );
  if (text != null || answers != null)
    throw new UsageError(
      "text-with-allow",
      `${asks}, and the answer allows it but also contains text, which may mean something else.`,
      ways(turn, "Remove the text, or give it as the comment."),
    );
  return { decision: "allow", ...(comment != null && { comment }) };
}

function permissionChoice(choice: string | null): PermissionChoice | null {
  const known = permissionChoices.find((each) => each === choice);
  if (choice === null || known) return known ?? null;
  throw new UsageError(
    "unknown-choice",
    `There is no choice "${choice}".`,
    suggest(choice, permissionChoices),
  );
}

function ways(turn: string, first: string): string {
  const item = turn.slice(0, 8);
  const answer = (choice: string) => verb("inbox.answer", { item, choice, by: slot("NAME") });
  return `${first} Allow it with ${answer("allow")}; deny it with ${answer("deny")}.`;
}

/** A text answers a single question; several questions need one answer each, by text or by number. */
function questionAnswer(questions: readonly string[], words: Words): QuestionAnswer {
  const { text, answers, choice, deny, comment } = words;
  if (choice != null)
    throw new UsageError("unknown-choice", "This is a question.", "Answer it with a text.");
  if (deny != null) return { decision: "deny", message: reason([deny, text, comment], words) };
  const single = text != null && questions.length === 1 ? { [questions[0] ?? ""]: text } : {};
  const given = answers ? byText(questions, answers) : single;
  const names = numbered(questions);
  const missing = names.filter((_, index) => !Object.hasOwn(given, questions[index] ?? ""));
  if (missing.length === 0)
    return { decision: "allow", answers: given, ...(comment != null && { comment }) };
  if (questions.length === 1)
    throw new UsageError(
      "unanswered",
      `No answer to: ${missing.join("")}`,
      `Give it with ${option("text")}.`,
    );
  throw new UsageError(
    "unanswered",
    text != null && answers == null
      ? `The agent asks ${questions.length} questions, and one text does not say which it answers: ${names.join(" · ")}`
      : `No answer to: ${missing.join(" · ")}`,
    `Give each with ${option("answers.NUMBER")}.`,
  );
}

/** The answers by the texts of their questions, in the order in which they were asked. */
function byText(
  questions: readonly string[],
  answers: Readonly<Record<string, string>>,
): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, answer] of Object.entries(answers)) {
    const number = /^[1-9]\d*$/.test(name) ? Number(name) : 0;
    const question = questions.includes(name) ? name : questions[number - 1];
    if (question === undefined)
      throw new UsageError(
        "unknown-question",
        `The agent did not ask "${name}".`,
        `It asks: ${numbered(questions).join(" · ")}`,
      );
    if (found.has(question))
      throw new UsageError(
        "given-twice",
        `"${question}" is answered twice, by its text and by its number.`,
        "Answer it once.",
      );
    found.set(question, answer);
  }
  return Object.fromEntries(
    questions.flatMap((question) => {
      const answer = found.get(question);
      return answer === undefined ? [] : [[question, answer]];
    }),
  );
}

function reason(said: readonly (string | null | undefined)[], { by }: Words): string {
  const given = said.filter((each) => each != null);
  return given.length > 0 ? given.join("\n") : `${by ?? "A person"} said no.`;
}
