/** `reprise session finish`: continues a turn that was cut off, without a new prompt. */

import { sessionKey } from "@reprise/core/session/key";
import type { BusyPolicy } from "@reprise/core/session/turn";
import type { Cli } from "../cli.ts";
import { runTurn } from "../turn-run.ts";

interface FinishOptions {
  readonly busy?: BusyPolicy;
  readonly timeout?: number;
}

export async function run(cli: Cli, key: string, options: FinishOptions): Promise<number> {
  const { busy = null, timeout = null } = options;
  const finish = { key: sessionKey(key), busy, timeout };
  return runTurn(cli, ({ sessions }, running) => sessions.finish(finish, running));
}
