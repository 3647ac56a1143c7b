/** Runs one turn from the command line: progress, Ctrl-C, the printed result and the exit code. */

import type { Reprise, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import { cancellable } from "./cancel.ts";
import type { Cli } from "./cli.ts";
import { turnExitCode } from "./exit-code.ts";
import { badge, noticeLines } from "./format/outcome.ts";
import { questionLines } from "./format/question.ts";
import { inert } from "./format/text.ts";
import { usageText } from "./format/usage.ts";
import { progressLine } from "./progress.ts";
import { printError } from "./report.ts";

export function runTurn(
  cli: Cli,
  take: (reprise: Reprise, options: SendOptions) => Promise<TurnResult>,
): Promise<number> {
  return cancellable(cli, async ({ signal, exitCode }) => {
    const progress = progressLine(cli);
    try {
      return await cli.withReprise(async (reprise) => {
        const result = await take(reprise, { signal, onProgress: progress.report }).finally(
          progress.stop,
        );
        printTurn(cli, result);
        const code = turnExitCode(result);
        return result.turn.status === "cancelled" ? (exitCode() ?? code) : code;
      });
    } catch (error) {
      const signalled = exitCode();
      if (signalled === null) throw error;
      if (cli.json) cli.document({ error: errorView(error) });
      return signalled;
    } finally {
      progress.stop();
    }
  });
}

export function printTurn(cli: Cli, result: TurnResult): void {
  if (cli.json) cli.document(result);
  else {
    cli.remark(badge(cli.err, result));
    for (const line of noticeLines(cli.err, result.notices)) cli.remark(line);
    if (result.output) {
      const answer = cli.out.tty ? inert(result.output) : result.output;
      cli.out.write(answer.endsWith("\n") ? answer : `${answer}\n`);
    }
    for (const line of questionLines(result)) cli.remark(line);
    const usage = usageText(result);
    if (usage) cli.remark(cli.err.paint("dim", usage));
  }
  if (result.error) printError(cli, result.error);
}
