/** Ctrl-C on a turn: the first one cancels it, a second one ends the command at once. */

import type { Cli } from "./cli.ts";
import { eraseLine } from "./progress.ts";
import type { Signal } from "./surroundings.ts";

const exitCodes: Record<Signal, number> = { SIGINT: 130, SIGTERM: 143 };

export interface Cancellation {
  readonly signal: AbortSignal;
  /** The exit code of the signal that came; null while none did. */
  exitCode(): number | null;
}

export async function cancellable<Result>(
  cli: Cli,
  work: (cancellation: Cancellation) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let exitCode: number | null = null;
  const release = cli.onSignal((signal) => {
    if (exitCode !== null) return cli.exit(exitCode);
    exitCode = exitCodes[signal];
    controller.abort();
    if (cli.err.tty)
      cli.remark(`${eraseLine}Cancelling the turn; press Ctrl-C again to end at once.`);
  });
  try {
    return await work({ signal: controller.signal, exitCode: () => exitCode });
  } finally {
    release();
  }
}
