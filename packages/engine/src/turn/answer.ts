/** `answer`: gives a parked turn what it waits for, and carries it on. */

import { parse } from "@reprise/core/api/parse";
import type { AnswerTurn, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { answerSchema } from "@reprise/core/api/schemas";
import { UsageError } from "@reprise/core/errors/errors";
import { type Answer, type Asked, questionTexts } from "@reprise/core/session/question";
import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { findTurn } from "./find-turn.ts";
import { runTurn } from "./run-turn.ts";
import { turnResult } from "./views.ts";

export interface AnswerOptions extends Pick<SendOptions, "signal" | "onProgress"> {
  /** Stops carrying the turn on, and leaves its agent at work. */
  readonly leave?: AbortSignal | undefined;
  /** Called when the answer is found good, before it is written. */
  readonly before?: (waiting: Turn) => Promise<void>;
  /** Called when it is written, and before the turn goes on. */
  readonly after?: (turn: string) => void;
}

export async function answerTurn(
  engine: Engine,
  input: AnswerTurn,
  { signal, leave, onProgress, before, after }: AnswerOptions = {},
): Promise<TurnResult> {
  const wanted = parse(answerSchema, input);
  const waiting = await findWaiting(engine, wanted.turn);
  const answer = answerTo(waiting.asked, wanted);
  if (waiting.status === "waiting") await before?.(waiting);
  const { turn, token } = await engine.store.answerTurn({
    turn: waiting.id,
    answer,
    by: wanted.by ?? null,
    owner: engine.owner,
    at: engine.now(),
  });
  after?.(turn.id);
  const place = { turn: turn.id, token, record: turn };
  const ended = await runTurn(engine, place, { signal, leave, onProgress });
  return turnResult(ended, await engine.store.readSession(turn.request.key));
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
export function answerTo(asked: Asked | null, { deny, text, answers }: AnswerTurn): Answer {
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
