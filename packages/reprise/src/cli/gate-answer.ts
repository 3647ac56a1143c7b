/** Answers a gate from the command line, and shows the run that it lets go on. */

import type { AnsweredItem, AnswerItem, Reprise } from "@reprise/core/api/reprise";
import type { Cli } from "./cli.ts";
import { carryRun } from "./run-carry.ts";
import { userName } from "./user-name.ts";

export interface GateOptions {
  readonly by?: string;
  readonly comment?: string;
  readonly carry?: boolean;
}

/** `choose` says which choice it is, from those that the gate has. */
export async function answerGate(
  cli: Cli,
  item: string,
  { by = userName(cli.env), comment, carry = true }: GateOptions,
  choose: (choices: readonly string[]) => Partial<AnswerItem>,
): Promise<number> {
  const answer = async (reprise: Reprise): Promise<AnsweredItem> => {
    const { id, choices } = await reprise.inbox.show(item);
    return reprise.inbox.answer(
      { item: id, by, comment: comment ?? null, ...choose(choices) },
      { carry: false },
    );
  };
  const answered = await cli.withReprise(answer);
  const { resolution, title } = answered.item;
  if (!answered.given)
    cli.remark(
      `It was answered before: ${resolution?.choice} by ${resolution?.by}. Nothing changed.`,
    );
  else cli.remark(`${resolution?.choice ?? "Answered"}: ${title}`);
  // A server may have carried it on already.
  if (!carry || !answered.given || answered.run === null) {
    if (cli.json) cli.document(answered);
    return 0;
  }
  const { id } = answered.run;
  return carryRun(cli, {}, async (reprise, { signal, onResumed }) => {
    await onResumed(id, ({ data }) => (data as { item?: string }).item === answered.item.id);
    return reprise.runs.carryOn(id, signal && { signal });
  });
}
