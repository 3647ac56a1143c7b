/** Ctrl-C on a turn or a run: the first one cancels it, a second one ends the command at once. */

import { CancelReason } from "@reprise/core/session/cancel-reason";
import { userName } from "@reprise/engine/user-name";
import type { Cli } from "./cli.ts";
import { eraseLine } from "./progress.ts";
import type { Signal } from "./surroundings.ts";

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
