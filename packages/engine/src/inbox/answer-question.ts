/** Answers an agent's question: its turn continues here, and so does the run that it belongs to. */

import type { AnsweredItem, AnswerItem, AnswerTurn } from "@reprise/core/api/reprise";
import { UsageError } from "@reprise/core/errors/errors";
import type { Turn } from "@reprise/core/session/turn";
import type { Driver } from "../run/driver.ts";
import { nodeAnswered } from "../run/node-answered.ts";
import { giveAnswer } from "../turn/answer.ts";
import { readTurn, runTurn } from "../turn/run-turn.ts";
import { type AnswerItemOptions, driveAfterAnswer } from "./drive-after-answer.ts";
import { questionView } from "./views.ts";

export async function answerQuestion(
  driver: Driver,
  asking: Turn,
  wanted: AnswerItem,
  options: AnswerItemOptions,
): Promise<AnsweredItem> {
  const { engine } = driver;
  const { turn, claimed } = await giveAnswer(engine, answerOf(asking, wanted), (waiting, by) =>
    nodeAnswered(engine, waiting, by),
  );
  const given = claimed !== null;
  options.onAnswered?.(turn.id, given);
  const { origin } = turn.request;
  // Drive the run while the turn continues, so that the run is never without an owner.
  const driving = origin ? driveAfterAnswer(driver, origin.run, options) : Promise.resolve(null);
  driving.catch(() => {});
  const { signal, leave } = options;
  if (claimed) await runTurn(engine, claimed, { signal, leave });
  const run = await driving;
  const item = await questionView(engine, await readTurn(engine, turn.id));
  return { item, given, run };
}

function answerOf({ id: turn }: Turn, wanted: AnswerItem): AnswerTurn {
  const { item: _, passphrase: __, values, ...words } = wanted;
  if (values != null && Object.keys(values).length > 0)
    throw new UsageError(
      "no-form",
      `${Object.keys(values).join(", ")}: an agent's question has no fields.`,
      "Remove the values. Nothing was changed.",
    );
  return { turn, ...words };
}
