/** `answer`: answers a parked turn and continues it. */

import { parse } from "@reprise/core/api/parse";
import type { AnswerTurn, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { answerSchema } from "@reprise/core/api/schemas";
import { answerTo } from "@reprise/core/session/answer-to";
import type { Turn } from "@reprise/core/session/turn";
import type { NewEvent } from "@reprise/store/contract/events";
import type { Engine } from "../engine.ts";
import { answering, requireOutsideTurn } from "../outside-turn.ts";
import { driveTurn } from "./acquire.ts";
import { findTurn, headOf } from "./find-turn.ts";
import { answeredBefore, checkSame, notWaiting } from "./resolution.ts";
import { type ClaimedTurn, driven, runTurn, turnResult } from "./run-turn.ts";

/** The event that the turn's run gets with the answer; null for a turn outside a run. */
export type RunEventFor = (waiting: Turn, by: string | null) => Promise<NewEvent | null>;

export interface AnswerTurnOptions extends Pick<SendOptions, "signal" | "onProgress"> {
  /** Stops driving the turn and leaves its agent running. */
  readonly leave?: AbortSignal | undefined;
  readonly runEvent?: RunEventFor;
  /** Called after the answer is written and before the turn continues. */
  readonly after?: (turn: string) => void;
}

/** Repeating the same answer changes nothing: it returns the turn's result with a notice. */
export async function answerTurn(
  engine: Engine,
  input: AnswerTurn,
  { signal, leave, onProgress, runEvent, after }: AnswerTurnOptions = {},
): Promise<TurnResult> {
  const { turn, claimed } = await giveAnswer(engine, input, runEvent);
  after?.(turn.id);
  const options = { signal, leave, onProgress };
  const ended = claimed
    ? await runTurn(engine, claimed, options)
    : await driveTurn(engine, turn.id, options);
  const result = turnResult(driven(turn, ended));
  return claimed ? result : { ...result, notices: [...result.notices, answeredBefore(turn)] };
}

/**
 * Writes the answer. `claimed` is null if the turn already has this answer.
 * @throws TerminalError `answered`, `cancelled`; @throws TerminalError `not-waiting` when it asked nothing.
 */
export async function giveAnswer(
  engine: Engine,
  input: AnswerTurn,
  runEvent?: RunEventFor,
): Promise<{ turn: Turn; claimed: ClaimedTurn | null }> {
  requireOutsideTurn(answering);
  const words = parse(answerSchema(), input);
  const { by = null } = words;
  const found = await findWaiting(engine, words.turn);
  if (found.asked === null) throw notWaiting(found);
  const answer = answerTo(found.asked, words, found.id);
  const event = found.status === "waiting" && runEvent ? await runEvent(found, by) : null;
  const { turn, token } = await engine.store.answerTurn({
    turn: found.id,
    answer,
    by,
    event,
    owner: engine.owner,
    at: engine.now(),
  });
  if (token !== null) return { turn, claimed: { turn: turn.id, token, record: turn } };
  checkSame(turn, answer);
  return { turn, claimed: null };
}

/** The key's waiting turn, even if others are queued behind it; otherwise the named turn. */
async function findWaiting(engine: Engine, turnOrKey: string): Promise<Turn> {
  const head = await headOf(engine, turnOrKey);
  return head?.status === "waiting" ? head : findTurn(engine, turnOrKey);
}
