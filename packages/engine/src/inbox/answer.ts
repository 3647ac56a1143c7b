/** `answer`: answers an inbox item once, then continues its run. */

import { isDeepStrictEqual } from "node:util";
import { parse } from "@reprise/core/api/parse";
import type { AnsweredItem, AnswerItem } from "@reprise/core/api/reprise";
import { answerItemSchema } from "@reprise/core/api/run-schemas";
import { DeniedError, TerminalError, UsageError } from "@reprise/core/errors/errors";
import { option, verb } from "@reprise/core/errors/hint";
import { suggest } from "@reprise/core/errors/suggestion";
import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { NamedValues } from "@reprise/workflow/run/event";
import { answering, requireOutsideTurn } from "../outside-turn.ts";
import type { Driver } from "../run/driver.ts";
import { endWorkOf } from "../run/end-stuck-run.ts";
import { answerQuestion } from "./answer-question.ts";
import { type AnswerItemOptions, driveAfterAnswer } from "./drive-after-answer.ts";
import { findItem } from "./find-item.ts";
import { formValues, givenValues } from "./form.ts";
import { checkPassphrase } from "./passphrase.ts";
import { itemView } from "./views.ts";

export async function answerItem(
  driver: Driver,
  input: AnswerItem,
  options: AnswerItemOptions = {},
): Promise<AnsweredItem> {
  requireOutsideTurn(answering);
  const wanted = parse(answerItemSchema(), input);
  const found = await findItem(driver.engine, wanted.item);
  return "turn" in found
    ? answerQuestion(driver, found.turn, wanted, options)
    : answerGate(driver, found.item, wanted, options);
}

async function answerGate(
  driver: Driver,
  item: InboxItem,
  wanted: AnswerItem,
  options: AnswerItemOptions,
): Promise<AnsweredItem> {
  const { store, now } = driver.engine;
  checkAnswerer(item, wanted.by);
  checkWords(item, wanted);
  const choice = choiceOf(item, wanted);
  const values = item.resolution === null ? valuesOf(item, choice, wanted.values ?? {}) : {};
  const { comment = null, by } = wanted;
  if (item.resolution === null)
    await checkPassphrase(driver.engine, item, wanted.passphrase ?? null);
  if (item.kind === "stuck" && item.resolution === null && choice === "cancel")
    await endWorkOf(driver.engine, item.run);
  const answered = await store.answerItem({
    item: item.id,
    choice,
    by,
    comment,
    values,
    at: now(),
  });
  if (!answered.given) checkSame(answered.item, choice, wanted.values ?? null);
  options.onAnswered?.(item.id, answered.given);
  const run = await driveAfterAnswer(driver, item.run, options);
  return { item: itemView(answered.item), given: answered.given, run };
}

function checkAnswerer({ title, answerers }: InboxItem, by: string): void {
  if (answerers.length === 0 || answerers.includes(by)) return;
  throw new DeniedError(
    "not-allowed",
    `${by} may not answer "${title}".`,
    `It is for ${answerers.join(", ")}.`,
  );
}

/** A text or a denial is for an agent's question; a gate must not accept it as a filled-in form. */
function checkWords({ title, choices }: InboxItem, { text, answers, deny }: AnswerItem): void {
  if (text == null && answers == null && deny == null) return;
  throw new UsageError(
    "gate-answer",
    `"${title}" is a gate, not an agent's question.`,
    `Answer it with one of its choices: ${choices.join(", ")}. Nothing was changed.`,
  );
}

function choiceOf(
  { kind, title, choices }: InboxItem,
  { choice = null, values = null }: AnswerItem,
): string {
  const [first = ""] = choices;
  if (choice === null && values !== null && kind === "form") return first;
  if (choice !== null && choices.includes(choice)) return choice;
  throw choice === null
    ? new UsageError(
        "no-choice",
        `"${title}" needs one of ${choices.join(", ")}.`,
        `Choose one with ${option("choice")}.`,
      )
    : new UsageError(
        "unknown-choice",
        `"${title}" has no choice "${choice}".`,
        suggest(choice, choices),
      );
}

/** Only the first choice requires the form to be filled in. */
function valuesOf({ fields, choices }: InboxItem, choice: string, given: NamedValues): NamedValues {
  return choice === choices[0] ? formValues(fields, given) : givenValues(fields, given);
}

/** Nothing was written: the item already has this answer, or the answer came too late. */
function checkSame(item: InboxItem, choice: string, values: NamedValues | null): void {
  const { id, title, deadline, resolution } = item;
  if (resolution === null) return;
  const when = new Date(resolution.at).toISOString();
  if (resolution.how !== "answered")
    throw new TerminalError(
      resolution.how,
      resolution.how === "expired"
        ? `The deadline of "${title}" has passed (${new Date(deadline ?? resolution.at).toISOString()}).`
        : `"${title}" is no longer open: its run ended at ${when}.`,
      `See it with ${verb("inbox.show", id)}.`,
    );
  const same =
    resolution.choice === choice &&
    (values === null || isDeepStrictEqual(valuesOf(item, choice, values), resolution.values));
  if (same) return;
  throw new TerminalError(
    "answered",
    `"${title}" was already answered: ${resolution.choice} by ${resolution.by} at ${when}.`,
    "An answer is accepted once; rerun the run from the gate to ask again.",
  );
}
