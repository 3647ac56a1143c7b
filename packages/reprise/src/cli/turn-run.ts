/** Runs one turn from the command line: progress, Ctrl-C, the printed result and the exit code. */

import type { Progress, Reprise, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import { CancelReason } from "@reprise/core/session/cancel-reason";
import { ownerText } from "@reprise/core/session/owner-text";
import type { BusyPolicy } from "@reprise/core/session/turn";
import type { TurnWaiting, WaitingBehind } from "@reprise/core/session/waiting";
import { userName } from "@reprise/engine/engine";
import type { Cli, Signal } from "./cli.ts";
import { badge, noticeLines, questionLines, turnExitCode, usageText } from "./format/outcome.ts";
import { elapsed, inert, shorten } from "./format/text.ts";
import {
  type AccessOptions,
  accessRequest,
  type ContinuityOptions,
  continuityRequest,
  readPrompt,
} from "./input/turn.ts";
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

// Ctrl-C on a turn or a run: the first one cancels it, a second one ends the command at once.

const exitCodes: Record<Signal, number> = { SIGINT: 130, SIGTERM: 143 };

export function cancelling(what: string): string {
  return `Cancelling ${what}; press Ctrl-C again to end at once.`;
}

export interface Cancellation {
  readonly signal: AbortSignal;
  /** The exit code of the signal that came; null while none did. */
  exitCode(): number | null;
  /** From now on another program has the terminal: it handles Ctrl-C, and nothing is printed. */
  handOver(): void;
}

export async function cancellable<Result>(
  cli: Cli,
  work: (cancellation: Cancellation) => Promise<Result>,
  /** Shows on a terminal that it is being cancelled. */
  tell: () => void = () =>
    cli.remark(`${cli.err.redraws ? eraseLine : ""}${cancelling("the turn")}`),
): Promise<Result> {
  const controller = new AbortController();
  let exitCode: number | null = null;
  let handedOver = false;
  const release = cli.onSignal((signal) => {
    // The terminal also sends the signal to that program.
    if (handedOver && signal === "SIGINT") return;
    if (exitCode !== null) return cli.exit(exitCode);
    exitCode = exitCodes[signal];
    controller.abort(new CancelReason(signal === "SIGTERM" ? signal : userName(cli.env)));
    if (cli.err.tty && !handedOver) tell();
  });
  try {
    const handOver = () => {
      handedOver = true;
    };
    return await work({ signal: controller.signal, exitCode: () => exitCode, handOver });
  } finally {
    release();
  }
}

// The progress line while a turn waits or runs; only on a terminal, and erased when the turn ends.

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
export const eraseLine = "\r\u001b[2K";

interface ProgressLine {
  report(progress: Progress): void;
  stop(): void;
}

export function progressLine(cli: Cli): ProgressLine {
  if (!cli.err.redraws || cli.quiet) return { report: () => {}, stop: () => {} };
  const startedAt = cli.now();
  let doing = "opening the session";
  let tools: string[] = [];
  let frame = 0;
  let drawn = false;
  const draw = () => {
    drawn = true;
    const time = elapsed(cli.now() - startedAt);
    const text = [doing, time, ...(tools.length > 0 ? [tools.join(", ")] : [])].join(" · ");
    const mark = cli.err.paint("cyan", frames[frame++ % frames.length]!);
    cli.err.write(
      `${eraseLine}${mark} ${cli.err.paint("dim", shorten(inert(text), cli.err.width - 3))}`,
    );
  };
  const timer = setInterval(draw, 100).unref();
  return {
    report(progress) {
      ({ doing, tools } = after(progress, doing, tools));
    },
    stop() {
      clearInterval(timer);
      if (drawn) cli.err.write(eraseLine);
      drawn = false;
    },
  };
}

function waitingText(waiting: TurnWaiting): string {
  if (waiting.type === "limited" && waiting.limit === "quota")
    return `waiting for the reset of the account's limit at ${new Date(waiting.until).toISOString()}`;
  if (waiting.type === "limited")
    return `waiting for a free agent (${waiting.limit} ${waiting.max})`;
  const { behind, owner, since, stopped } = waiting;
  const who = owner ? ` of ${ownerText(owner)}` : "";
  const when = ` since ${new Date(since).toISOString()}`;
  const still = stopped ? ", which is stopped (continue it with fg, or cancel the turn)" : "";
  return `waiting behind turn ${behind.slice(0, 8)}${who}${when}${still}`;
}

/** The text of the line after a step, with the last three tools. */
export function after(
  progress: Progress,
  doing: string,
  tools: string[],
): { doing: string; tools: string[] } {
  switch (progress.type) {
    case "waiting":
    case "limited":
      return { doing: waitingText(progress), tools };
    case "decided":
      return {
        doing: progress.decision.prepare?.includes("compact")
          ? "compacting the session"
          : progress.decision.outcome,
        tools: [],
      };
    case "launched":
      return {
        doing: progress.attempt > 1 ? `${doing} · attempt ${progress.attempt}` : doing,
        tools: [],
      };
    case "tool":
      return { doing, tools: [...tools, progress.name].slice(-3) };
    case "text":
      return { doing, tools };
  }
}

// `reprise session send`: runs one turn; the answer goes to standard output, all else to standard error.

interface SendCommandOptions extends ContinuityOptions, AccessOptions {
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
    ...accessRequest(options),
  };
  return runTurn(cli, ({ sessions }, running) => sessions.send(send, running));
}
