/** `reprise answer`: answers a gate or form, or what a waiting turn asked, and carries on what waited. */

import type { InboxItemDetail } from "@reprise/core/api/reprise";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";
import { answerGate, type GateOptions } from "../gate-answer.ts";
import { carryRun } from "../run-carry.ts";
import { runTurn } from "../turn-run.ts";
import { userName } from "../user-name.ts";

interface AnswerOptions extends GateOptions {
  readonly answer?: Record<string, string>;
  readonly value?: Record<string, string>;
  readonly allow?: boolean;
  readonly deny?: string;
}

export async function run(
  cli: Cli,
  what: string,
  text: string | undefined,
  options: AnswerOptions,
): Promise<number> {
  const item = await findItem(cli, what);
  if (item?.kind === "approval" || item?.kind === "form") return atGate(cli, item, text, options);

  const { answer, allow, deny, by = userName(cli.env), carry = true } = options;
  const ways = [text, answer, allow, deny].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw new UsageError(
      "no-answer",
      ways.length === 0 ? "There is no answer." : "There is more than one kind of answer.",
      'Give a text, --answer "QUESTION=ANSWER" for each question, --allow, or --deny "REASON".',
    );
  const code = await runTurn(cli, ({ turns }, running) =>
    turns.answer(
      {
        turn: item?.id ?? what,
        text: text ?? null,
        answers: answer ?? null,
        deny: deny ?? null,
        by,
      },
      running,
    ),
  );
  const run = item?.run;
  if (!run || !carry) return code;
  return carryRun(cli, {}, async (reprise, { signal, onResumed }) => {
    await onResumed(run, ({ type }) => type === "node.answered");
    return reprise.runs.carryOn(run, signal && { signal });
  });
}

/** Null for a turn that is not in the inbox, as one that is named by its key. */
async function findItem(cli: Cli, what: string): Promise<InboxItemDetail | null> {
  try {
    return await cli.withReprise((reprise) => reprise.inbox.show(what));
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
      `Item ${item.id.slice(0, 8)} is a gate, not a question of an agent.`,
      `Answer with one of its choices: ${item.choices.join(", ")}.`,
    );
  if (text === undefined && value === undefined)
    throw new UsageError(
      "no-answer",
      "There is no answer.",
      item.kind === "form"
        ? `Give its fields: ${item.fields.map(({ name }) => `--value ${name}=…`).join(" ")}.`
        : `Give one of its choices: ${item.choices.join(", ")}.`,
    );
  return answerGate(cli, item.id, options, ([yes]) => ({
    choice: text ?? yes ?? null,
    values: value ?? null,
  }));
}
