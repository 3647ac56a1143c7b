/** `answer`: gives a parked turn what it waits for, and carries it on. */

import { parse } from "@reprise/core/api/parse";
import type { AnswerTurn, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { answerSchema } from "@reprise/core/api/schemas";
import { answerTo } from "@reprise/core/session/answer-to";
import type { Turn } from "@reprise/core/session/turn";
import type { NewEvent } from "@reprise/store/store";
import type { Engine } from "../engine.ts";
import { answering, requireOutsideTurn } from "../outside-turn.ts";
import type { ClaimedTurn } from "./claimed-turn.ts";
import { driveTurn } from "./drive.ts";
import { findTurn } from "./find-turn.ts";
import { answeredBefore, checkSame, notWaiting } from "./resolution.ts";
import { runTurn } from "./run-turn.ts";
import { turnResult } from "./views.ts";

/** What the run that the turn belongs to is told with the answer; null where there is none. */
export type Telling = (waiting: Turn, by: string | null) => Promise<NewEvent | null>;

export interface AnswerTurnOptions extends Pick<SendOptions, "signal" | "onProgress"> {
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
  { signal, leave, onProgress, tells, after }: AnswerTurnOptions = {},
): Promise<TurnResult> {
  const { turn, claimed } = await giveAnswer(engine, input, tells);
  const { id, request } = turn;
  after?.(id);
  const options = { signal, leave, onProgress };
  const ended = claimed
    ? await runTurn(engine, claimed, options)
    : await driveTurn(engine, id, options);
  const result = turnResult(ended ?? turn, await engine.store.readSession(request.key));
  return claimed ? result : { ...result, notices: [...result.notices, answeredBefore(turn)] };
}

/**
 * Writes the answer. No `claimed` where the turn has this very answer already.
 * @throws TerminalError `answered`, `cancelled`; @throws UsageError `not-waiting` when it asked nothing.
 */
export async function giveAnswer(
  engine: Engine,
  input: AnswerTurn,
  tells?: Telling,
): Promise<{ turn: Turn; claimed: ClaimedTurn | null }> {
  requireOutsideTurn(answering);
  const words = parse(answerSchema, input);
  const { by = null } = words;
  const found = await findWaiting(engine, words.turn);
  if (found.asked === null) throw notWaiting(found);
  const answer = answerTo(found.asked, words, found.id);
  const event = found.status === "waiting" && tells ? await tells(found, by) : null;
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

/** The turn of a key that waits, although others may be queued behind it; else the turn that is named. */
async function findWaiting(engine: Engine, turnOrKey: string): Promise<Turn> {
  const open = await engine.store.listOpenTurns();
  const waiting = open.find(
    ({ status, request }) => status === "waiting" && request.key === turnOrKey,
  );
  return waiting ?? findTurn(engine, turnOrKey);
}
