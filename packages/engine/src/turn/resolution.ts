/** How a turn's question was settled: by an answer, or because the turn ended without one. */

import { isDeepStrictEqual } from "node:util";
import type { InboxItemView } from "@reprise/core/api/reprise";
import { TerminalError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { Notice } from "@reprise/core/session/decision";
import { type QuestionAnswer, questionTitle } from "@reprise/core/session/question";
import type { Turn } from "@reprise/core/session/turn";
import { shortLine } from "@reprise/core/text/short-line";
import { saidIn } from "@reprise/workflow/inbox-item";

/** Null while it waits. */
export function resolutionOf(turn: Turn): InboxItemView["resolution"] {
  const { status, asked, answer, answered, endedAt } = turn;
  if (status === "waiting") return null;
  if (answer === null || answered === null)
    return {
      how: "cancelled",
      choice: null,
      by: null,
      comment: null,
      values: {},
      at: endedAt ?? turn.openedAt,
    };
  const denied = answer.decision === "deny";
  // A question has no choices: what was answered is in the values.
  const isChoice = denied || asked?.question.kind === "permission";
  return {
    how: "answered",
    choice: isChoice ? answer.decision : null,
    comment: denied ? answer.message : (answer.comment ?? null),
    values: denied ? {} : { ...answer.answers },
    ...answered,
  };
}

/** Repeating the same answer is fine, also from another person and with another comment; a different answer comes too late. */
export function checkSame(turn: Turn, answer: QuestionAnswer): void {
  const { id, asked, status } = turn;
  if (asked === null) throw notWaiting(turn);
  if (turn.answer && isSame(turn.answer, answer)) return;
  const resolution = resolutionOf(turn);
  const title = shortLine(questionTitle(asked.question));
  if (resolution?.how !== "answered")
    throw new TerminalError(
      "cancelled",
      `"${title}" is no longer open: its turn is ${status}.`,
      `${verb("turns.why", id)} shows what happened to it.`,
    );
  const when = new Date(resolution.at).toISOString();
  throw new TerminalError(
    "answered",
    `"${title}" was already answered: ${saidIn(resolution)}${byText(resolution.by)} at ${when}.`,
    "An answer is accepted once; send the session another turn to tell the agent more.",
  );
}

export function notWaiting({ id, status }: Turn): TerminalError {
  return new TerminalError(
    "not-waiting",
    `Turn ${id} is not waiting for an answer: it is ${status}.`,
    `${verb("turns.why", id)} shows what happened to it.`,
  );
}

/** The notice for a caller that repeated the same answer. */
export function answeredBefore(turn: Turn): Notice {
  const resolution = resolutionOf(turn);
  const said = resolution ? saidIn(resolution) : "";
  return {
    code: "answered-before",
    text: `It was already answered: ${said}${byText(resolution?.by ?? null)}. Nothing changed.`,
  };
}

function byText(by: string | null): string {
  return by === null ? "" : ` by ${by}`;
}

function isSame(one: QuestionAnswer, other: QuestionAnswer): boolean {
  if (one.decision === "deny" || other.decision === "deny") return one.decision === other.decision;
  return isDeepStrictEqual(one.answers, other.answers);
}
