/** Answers an inbox item from the command line, and shows the run that continues. */

import type { AnswerItem, InboxItemView } from "@reprise/core/api/reprise";
import { UsageError } from "@reprise/core/errors/errors";
import { shortLine } from "@reprise/core/text/short-line";
import { userName } from "@reprise/engine/engine";
import { answering, requireOutsideTurn } from "@reprise/engine/outside-turn";
import { saidIn } from "@reprise/workflow/inbox-item";
import type { Cli } from "./cli.ts";
import { answerCommand, turnExitCode } from "./format/outcome.ts";
import { oneLine } from "./format/text.ts";
import { readSecrets } from "./input/secret.ts";
import { driveRun } from "./run-drive.ts";
import { printTurn } from "./turn-run.ts";

export interface GateOptions {
  readonly by?: string;
  readonly comment?: string;
  readonly resume?: boolean;
  readonly passphraseStdin?: boolean;
}

/** `choose` picks the answer, yes or no, from the item's choices. */
export function decideItem(
  cli: Cli,
  item: string,
  options: GateOptions,
  choose: (choices: readonly string[]) => Partial<AnswerItem>,
): Promise<number> {
  return answerItem(cli, item, options, ({ id, kind, title, choices, questions }) => {
    if (kind === "question")
      throw new UsageError(
        "no-yes-or-no",
        `"${shortLine(title)}" is an agent's question, which yes or no does not answer.`,
        `Answer it with ${answerCommand(id, questions)}.`,
      );
    return choose(choices);
  });
}

export async function answerItem(
  cli: Cli,
  item: string,
  { by = userName(cli.env), comment, resume = true, passphraseStdin = false }: GateOptions,
  answer: (item: InboxItemView) => Partial<AnswerItem>,
): Promise<number> {
  requireOutsideTurn(answering);
  const { answered, turn } = await cli.withReprise(async ({ inbox, turns }) => {
    const shown = await inbox.show(item);
    const words = { item: shown.id, by, comment: comment ?? null, ...answer(shown) };
    const asks = shown.passphrase !== null && shown.resolution === null;
    const [passphrase = null] = asks
      ? await readSecrets(cli, [`Passphrase ${shown.passphrase}`], passphraseStdin)
      : [];
    const answered = await inbox.answer({ ...words, passphrase }, { continue: false });
    const isTurn = shown.kind === "question" || shown.kind === "permission";
    return { answered, turn: isTurn ? await turns.why(shown.id) : null };
  });
  const { resolution, title } = answered.item;
  const said = resolution ? saidIn(resolution) : "Answered";
  if (!answered.given)
    cli.remark(
      `It was already answered: ${oneLine(said)}${resolution?.by ? ` by ${resolution.by}` : ""}. Nothing changed.`,
    );
  else cli.remark(`${oneLine(said)}: ${oneLine(shortLine(title))}`);
  // A server may have continued it already.
  if (!resume || !answered.given || answered.run === null) {
    if (cli.json) cli.document(answered);
    if (turn === null || !answered.given) return 0;
    if (!cli.json) printTurn(cli, turn);
    return turnExitCode(turn);
  }
  const { id } = answered.run;
  return driveRun(cli, {}, async (reprise, { signal, onResumed }) => {
    await onResumed(id, ({ type, data }) => {
      // The item of a question is its turn, which has events before the answer.
      const { item, turn } = data as { readonly item?: string; readonly turn?: string };
      return (type === "node.answered" ? turn : item) === answered.item.id;
    });
    return reprise.runs.continue(id, signal && { signal });
  });
}
