/** `reprise answer`: answers a gate, a form or an agent's question, and continues the run or turn. */

import type { AnswerTurn, InboxItemDetail } from "@reprise/core/api/reprise";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { userName } from "@reprise/engine/engine";
import { answering, requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";
import { gateAnswers } from "../format/form.ts";
import { answerItem, type GateOptions } from "../gate-answer.ts";
import { driveRun } from "../run-drive.ts";
import { runTurn } from "../turn-run.ts";

interface AnswerOptions extends GateOptions {
  readonly answer?: Record<string, string>;
  readonly value?: Record<string, string>;
  readonly allow?: boolean;
  /** The reason; true without one. */
  readonly deny?: string | true;
}

export async function run(
  cli: Cli,
  what: string,
  text: string | undefined,
  options: AnswerOptions,
): Promise<number> {
  // A server cannot see which process calls it, so this process checks itself.
  requireOutsideTurn(answering);
  const item = await findItem(cli, what);
  if (item?.kind === "approval" || item?.kind === "form" || item?.kind === "stuck")
    return atGate(cli, item, text, options);

  const { by = userName(cli.env), resume = true } = options;
  const said = wordsOf(item, text, options, by);
  // A settled item does not continue: its answer is only compared with this one.
  if (item?.resolution) return answerItem(cli, item.id, options, () => said);
  const run = resume ? item?.run : null;
  const code = await runTurn(
    cli,
    ({ turns }, running) => turns.answer({ turn: item?.id ?? what, ...said, by }, running),
    // With --json there is one document: the run.
    run && cli.json ? { print: () => {} } : {},
  );
  if (!run) return code;
  return driveRun(cli, {}, async (reprise, { signal, onResumed }) => {
    await onResumed(run, ({ type }) => type === "node.answered");
    return reprise.runs.continue(run, signal && { signal });
  });
}

/** A text with --deny is its reason; otherwise only one kind of answer may be given. */
function wordsOf(
  item: InboxItemDetail | null,
  text: string | undefined,
  { answer, allow, deny, comment }: AnswerOptions,
  by: string,
): Pick<AnswerTurn, "text" | "answers" | "choice" | "deny" | "comment"> {
  const ways = [text, answer, allow, deny].filter((way) => way !== undefined);
  const denied = deny !== undefined && answer === undefined && allow === undefined;
  if (ways.length !== 1 && !denied)
    throw new UsageError(
      "no-answer",
      ways.length === 0 ? "There is no answer." : "There is more than one kind of answer.",
      item?.kind === "permission"
        ? `Allow it with: reprise approve ${item.id.slice(0, 8)}. Deny it with: reprise reject ${item.id.slice(0, 8)}.`
        : 'Give a text, --answer NUMBER="ANSWER" for each question, --allow, or --deny "REASON".',
    );
  if (denied) {
    const reasons = [deny === true ? undefined : deny, text].filter((each) => each !== undefined);
    const reason = reasons.length > 0 ? reasons.join("\n") : (comment ?? `${by} said no.`);
    return { deny: reason };
  }
  return {
    text: text ?? null,
    answers: answer ?? null,
    choice: allow ? "allow" : null,
    comment: comment ?? null,
  };
}

/** By its id, or by the key of the session whose last turn asks; null when later turns follow it. */
function findItem(cli: Cli, what: string): Promise<InboxItemDetail | null> {
  return cli.withReprise(async ({ inbox, turns }) => {
    const shown = await unlessMissing(inbox.show(what));
    if (shown) return shown;
    const last = await unlessMissing(turns.why(what));
    return last && unlessMissing(inbox.show(last.turn.id));
  });
}

async function unlessMissing<Found>(looking: Promise<Found>): Promise<Found | null> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function atGate(
  cli: Cli,
  item: InboxItemDetail,
  text: string | undefined,
  { answer, allow, deny, value, ...options }: AnswerOptions,
): Promise<number> {
  if (answer !== undefined || allow !== undefined || deny !== undefined)
    throw new UsageError(
      "gate-answer",
      `Item ${item.id.slice(0, 8)} is not an agent's question.`,
      `Answer with one of its choices: ${item.choices.join(", ")}.`,
    );
  if (text === undefined && value === undefined)
    throw new UsageError(
      "no-answer",
      "There is no answer.",
      item.kind === "form"
        ? `Fill it in with: ${gateAnswers(item)[0]}`
        : `Give one of its choices: ${item.choices.join(", ")}.`,
    );
  return answerItem(cli, item.id, options, ({ choices: [yes] }) => ({
    choice: text ?? yes ?? null,
    values: value ?? null,
  }));
}
