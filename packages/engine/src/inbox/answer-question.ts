/** The answer to what an agent asked: its turn goes on here, and the run that it belongs to with it. */

import type { AnsweredItem, AnswerItem, AnswerTurn } from "@reprise/core/api/reprise";
import { UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { Turn } from "@reprise/core/session/turn";
import type { Driver } from "../run/driver.ts";
import { nodeAnswered } from "../run/node-answered.ts";
import { giveAnswer } from "../turn/answer.ts";
import { readTurn, runTurn } from "../turn/run-turn.ts";
import { type AnswerItemOptions, carryOnAfter } from "./carry-on-after.ts";
import { permissionChoices, questionView } from "./views.ts";

export async function answerQuestion(
  driver: Driver,
  asking: Turn,
  wanted: AnswerItem,
  options: AnswerItemOptions,
): Promise<AnsweredItem> {
  const { engine } = driver;
  const { turn, place } = await giveAnswer(engine, answerOf(asking, wanted), (waiting, by) =>
    nodeAnswered(engine, waiting, by),
  );
  const given = place !== null;
  options.onAnswered?.(turn.id, given);
  const { origin } = turn.request;
  // The run is carried on while the turn goes on, so that it is nobody's at no time.
  const carrying = origin ? carryOnAfter(driver, origin.run, options) : Promise.resolve(null);
  carrying.catch(() => {});
  const { signal, leave } = options;
  if (place) await runTurn(engine, place, { signal, leave });
  const run = await carrying;
  const item = await questionView(engine, await readTurn(engine, turn.id));
  return { item, given, run };
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
