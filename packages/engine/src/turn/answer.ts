/** `answer`: gives a parked turn what it waits for, and carries it on. */

import { parse } from "@reprise/core/api/parse";
import type { AnswerTurn, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { answerSchema } from "@reprise/core/api/schemas";
import { UsageError } from "@reprise/core/errors/errors";
import { type Answer, type Asked, questionTexts } from "@reprise/core/session/question";
import type { Turn } from "@reprise/core/session/turn";
import type { NewEvent } from "@reprise/store/store";
import type { Engine } from "../engine.ts";
import { carryTurn } from "./carry.ts";
import { findTurn } from "./find-turn.ts";
import type { Place } from "./place.ts";
import { answeredBefore, checkSame } from "./resolution.ts";
import { runTurn } from "./run-turn.ts";
import { turnResult } from "./views.ts";

/** What the run that the turn belongs to is told with the answer; null where there is none. */
export type Telling = (waiting: Turn, by: string | null) => Promise<NewEvent | null>;

export interface AnswerOptions extends Pick<SendOptions, "signal" | "onProgress"> {
  /** Stops carrying the turn on, and leaves its agent at work. */
  readonly leave?: AbortSignal | undefined;
  readonly tells?: Telling;
  /** Called when the answer is written, and before the turn goes on. */
  readonly after?: (turn: string) => void;
}

/** The same answer again changes nothing, and gets what became of the turn, with a notice. */
export async function answerTurn(
  engine: Engine,
  input: AnswerTurn,
  { signal, leave, onProgress, tells, after }: AnswerOptions = {},
): Promise<TurnResult> {
  const { turn, place } = await giveAnswer(engine, input, tells);
  const { id, request } = turn;
  after?.(id);
  const options = { signal, leave, onProgress };
  const ended = place
    ? await runTurn(engine, place, options)
    : await carryTurn(engine, id, options);
  const result = turnResult(ended ?? turn, await engine.store.readSession(request.key));
  return place ? result : { ...result, notices: [...result.notices, answeredBefore(turn)] };
}

/**
 * Writes the answer. No `place` where the turn has this very answer already.
 * @throws TerminalError `answered`, `cancelled`; @throws UsageError `not-waiting` when it asked nothing.
 */
export async function giveAnswer(
  engine: Engine,
  input: AnswerTurn,
  tells?: Telling,
): Promise<{ turn: Turn; place: Place | null }> {
  const { by = null, ...wanted } = parse(answerSchema, input);
  const found = await findWaiting(engine, wanted.turn);
  const answer = answerTo(found.asked, wanted);
  const event = found.status === "waiting" && tells ? await tells(found, by) : null;
  const { turn, token } = await engine.store.answerTurn({
    turn: found.id,
    answer,
    by,
    event,
    owner: engine.owner,
    at: engine.now(),
  });
  if (token !== null) return { turn, place: { turn: turn.id, token, record: turn } };
  checkSame(turn, answer);
  return { turn, place: null };
}

/** The turn of a key that waits, although others may be queued behind it; else the turn that is named. */
async function findWaiting(engine: Engine, turnOrKey: string): Promise<Turn> {
  const open = await engine.store.listOpenTurns();
  const waiting = open.find(
    ({ status, request }) => status === "waiting" && request.key === turnOrKey,
  );
  return waiting ?? findTurn(engine, turnOrKey);
}

/** One text answers a single question; several are answered one by one. */
function answerTo(asked: Asked | null, { deny, text, answers }: AnswerTurn): Answer {
  if (deny != null) return { decision: "deny", message: deny };
  if (asked === null || asked.question.kind === "permission") return { decision: "allow" };
  const questions = questionTexts(asked.question);
  const given =
    answers ?? (text != null && questions.length === 1 ? { [questions[0] ?? ""]: text } : {});
  const missing = questions.filter((question) => !Object.hasOwn(given, question));
  if (missing.length === 0) return { decision: "allow", answers: given };
  throw new UsageError(
    "unanswered",
    `There is no answer to: ${missing.join(" · ")}`,
    questions.length === 1
      ? "Give it as the text after the turn."
      : 'Give each with --answer "QUESTION=ANSWER".',
  );
}
