/** The answer to what an agent asked: its turn goes on here, and the run that it belongs to with it. */

import { isDeepStrictEqual } from "node:util";
import type { AnsweredItem, AnswerItem, AnswerTurn } from "@reprise/core/api/reprise";
import { TerminalError, UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { Turn } from "@reprise/core/session/turn";
import type { Driver } from "../run/driver.ts";
import { resumeNode } from "../run/resume-node.ts";
import { answerTo, answerTurn } from "../turn/answer.ts";
import { readTurn } from "../turn/run-turn.ts";
import { type AnswerItemOptions, carryOnAfter } from "./carry-on-after.ts";
import { permissionChoices, questionView } from "./views.ts";

export async function answerQuestion(
  driver: Driver,
  turn: Turn,
  wanted: AnswerItem,
  options: AnswerItemOptions,
): Promise<AnsweredItem> {
  const { engine } = driver;
  const answer = answerOf(turn, wanted);
  const given = turn.status === "waiting";
  if (!given) checkSame(turn, answer);
  const { origin } = turn.request;
  const carryOn = async () => {
    options.onAnswered?.(turn.id, given);
    return origin ? carryOnAfter(driver, origin.run, options) : null;
  };
  const run = given ? await goOn(driver, answer, wanted.by, options, carryOn) : await carryOn();
  const item = await questionView(engine, await readTurn(engine, turn.id));
  return { item, given, run };
}

/** The run is carried on while the turn goes on, so that it is nobody's at no time. */
async function goOn<Run>(
  { engine }: Driver,
  answer: AnswerTurn,
  by: string,
  { signal, leave }: AnswerItemOptions,
  carryOn: () => Promise<Run>,
): Promise<Run> {
  let carrying: Promise<Run> | null = null;
  await answerTurn(engine, answer, {
    ...(signal ? { signal } : {}),
    leave,
    before: (waiting) => resumeNode(engine, waiting, by),
    after: () => {
      carrying = carryOn();
      carrying.catch(() => {});
    },
  });
  return carrying ?? carryOn();
}

function answerOf({ id: turn, asked }: Turn, wanted: AnswerItem): AnswerTurn {
  const { text, answers, choice, by, comment } = wanted;
  const deny = wanted.deny ?? (choice === "deny" ? (comment ?? `${by} said no.`) : null);
  if (choice != null && asked?.question.kind !== "permission")
    throw new UsageError("unknown-choice", "This is a question.", "Answer it with a text.");
  if (choice != null && !permissionChoices.some((known) => known === choice))
    throw new UsageError(
      "unknown-choice",
      `There is no choice "${choice}".`,
      suggest(choice, permissionChoices),
    );
  return { turn, text, answers, deny, by };
}

function checkSame(turn: Turn, answer: AnswerTurn): void {
  if (turn.answer !== null && isDeepStrictEqual(answerTo(turn.asked, answer), turn.answer)) return;
  throw new TerminalError(
    "answered",
    `Turn ${turn.id} does not wait any more: it is ${turn.status}.`,
    "An answer is taken once.",
  );
}
