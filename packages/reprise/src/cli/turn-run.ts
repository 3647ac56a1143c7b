/** Runs one turn from the command line: progress, Ctrl-C, the printed result and the exit code. */

import type { Progress, Reprise, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import type { TurnWaiting, WaitingBehind } from "@reprise/core/session/waiting";
import { cancellable } from "./cancel.ts";
import type { Cli } from "./cli.ts";
import { turnExitCode } from "./exit-code.ts";
import { badge, noticeLines } from "./format/outcome.ts";
import { questionLines } from "./format/question.ts";
import { inert } from "./format/text.ts";
import { usageText } from "./format/usage.ts";
import { progressLine, waitingText } from "./progress.ts";
import { printError } from "./report.ts";

export function runTurn(
  cli: Cli,
  take: (reprise: Reprise, options: SendOptions) => Promise<TurnResult>,
  { print = printTurn }: { readonly print?: (cli: Cli, result: TurnResult) => void } = {},
): Promise<number> {
  return cancellable(cli, async ({ signal, exitCode }) => {
    const progress = progressLine(cli);
    try {
      return await cli.withReprise(async (reprise) => {
        const shown = new Set<string>();
        const waiting = waitingRemark(cli);
        const onProgress = (step: Progress) => {
          progress.report(step);
          waiting.report(step);
          if (step.type !== "waiting" || !step.unseen || shown.has(step.behind)) return;
          shown.add(step.behind);
          cli.remark(unseenOwner(step));
        };
        const result = await take(reprise, { signal, onProgress }).finally(() => {
          progress.stop();
          waiting.stop();
        });
        print(cli, result);
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

/** How long a turn waits before the command says why, in milliseconds. */
const patience = 2000;

/** Says once for each reason why the turn waits. On a terminal the progress line does so, unless an owner is stopped. */
function waitingRemark(cli: Cli): { report(step: Progress): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let latest: TurnWaiting | null = null;
  const shown = new Set<string>();
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    latest = null;
  };
  const tell = () => {
    if (latest === null) return;
    const { unseen, stopped } = { unseen: false, stopped: false, ...latest };
    if (unseen || (cli.err.tty && !stopped)) return;
    const text = waitingText(latest);
    if (shown.has(text)) return;
    shown.add(text);
    cli.remark(text);
  };
  return {
    stop,
    report(step) {
      if (step.type !== "waiting" && step.type !== "limited") return stop();
      const known = subjectOf(latest) === subjectOf(step);
      latest = step;
      if (known && timer === undefined) tell();
      if (known) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        tell();
      }, patience);
    },
  };
}

function subjectOf(waiting: TurnWaiting | null): string | undefined {
  return waiting?.type === "waiting" ? waiting.behind : waiting?.limit;
}

/** Printed on a terminal too: without it the command would seem to hang. */
function unseenOwner(waiting: WaitingBehind): string {
  return (
    `${waitingText(waiting)}: its owner cannot be seen from here. Reprise continues when the agent's exit is recorded ` +
    `and the owner stays silent. If you know that it is gone: reprise cancel ${waiting.behind} --owner-gone`
  );
}

export function printTurn(cli: Cli, result: TurnResult): void {
  if (cli.json) cli.document(result);
  else {
    if (!cli.quiet) {
      cli.remark(badge(cli.err, result));
      for (const line of noticeLines(cli.err, result.notices)) cli.remark(line);
    }
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
