/**
 * The file that carries a person's answers to an agent's process, named by `REPRISE_ANSWERS`: one JSON
 * object from the id of each question to its answer.
 */

import { readFileSync } from "node:fs";
import type { QuestionAnswer } from "@reprise/core/session/question";

export const answersVariable = "REPRISE_ANSWERS";

/** The id of a call that an earlier turn left deferred; without an answer it is deferred again. */
export const deferredVariable = "REPRISE_DEFERRED";

/** An answer, with a note for the agent: which of its questions were lost. */
export type Answered = QuestionAnswer & { readonly note?: string };

export type Answers = Readonly<Record<string, Answered>>;

/** The answer to one question; undefined while it has none. */
export function readAnswer(file: string | undefined, id: string): Answered | undefined {
  if (!file) return undefined;
  const answers = JSON.parse(readFileSync(file, "utf8")) as Answers;
  return Object.hasOwn(answers, id) ? answers[id] : undefined;
}
