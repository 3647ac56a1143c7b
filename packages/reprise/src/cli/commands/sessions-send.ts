/** `reprise sessions send`: one turn; the answer on standard output, all else on standard error. */

import type { TurnResult } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import type { BusyPolicy } from "@reprise/core/session/turn";
import { cancellable } from "../cancel.ts";
import type { Cli } from "../cli.ts";
import { turnExitCode } from "../exit-code.ts";
import { badge, noticeLines } from "../format/outcome.ts";
import { inert } from "../format/text.ts";
import { usageText } from "../format/usage.ts";
import { type ContinuityOptions, continuityRequest } from "../input/continuity.ts";
import { readPrompt } from "../input/prompt.ts";
import { progressLine } from "../progress.ts";
import { printError } from "../report.ts";

interface SendCommandOptions extends ContinuityOptions {
  readonly file?: string;
  readonly busy?: BusyPolicy;
  readonly timeout?: number;
  readonly instructions?: string;
  readonly channel?: string;
}

export async function run(
  cli: Cli,
  key: string,
  argument: string | undefined,
  options: SendCommandOptions,
): Promise<number> {
  const { file, busy, timeout, instructions, channel } = options;
  const send = {
    ...continuityRequest(cli.cwd, key, options),
    prompt: await readPrompt(cli, argument, file),
    busy: busy ?? null,
    timeout: timeout ?? null,
    instructions: instructions ?? null,
    channel: channel ?? null,
  };
  return cancellable(cli, async ({ signal, exitCode }) => {
    const progress = progressLine(cli);
    try {
      return await cli.withReprise(async ({ sessions }) => {
        const result = await sessions
          .send(send, { signal, onProgress: progress.report })
          .finally(progress.stop);
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

function printTurn(cli: Cli, result: TurnResult): void {
  if (cli.json) cli.document(result);
  else {
    cli.remark(badge(cli.err, result));
    for (const line of noticeLines(cli.err, result.notices)) cli.remark(line);
    if (result.output) {
      const answer = cli.out.tty ? inert(result.output) : result.output;
      cli.out.write(answer.endsWith("\n") ? answer : `${answer}\n`);
    }
    const usage = usageText(result);
    if (usage) cli.remark(cli.err.paint("dim", usage));
  }
  if (result.error) printError(cli, result.error);
}
