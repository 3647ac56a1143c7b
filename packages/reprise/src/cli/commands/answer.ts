/** `reprise answer`: answers what a waiting turn asked, and carries it on. */

import { UsageError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";
import { runTurn } from "../turn-run.ts";

interface AnswerOptions {
  readonly answer?: Record<string, string>;
  readonly allow?: boolean;
  readonly deny?: string;
}

export async function run(
  cli: Cli,
  turn: string,
  text: string | undefined,
  { answer, allow, deny }: AnswerOptions,
): Promise<number> {
  const ways = [text, answer, allow, deny].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw new UsageError(
      "no-answer",
      ways.length === 0 ? "There is no answer." : "There is more than one kind of answer.",
      'Give a text, --answer "QUESTION=ANSWER" for each question, --allow, or --deny "REASON".',
    );
  return runTurn(cli, ({ turns }, running) =>
    turns.answer(
      { turn, text: text ?? null, answers: answer ?? null, deny: deny ?? null },
      running,
    ),
  );
}
