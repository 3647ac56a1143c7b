/** `reprise approve`: yes, to what waits at a gate. */

import type { Cli } from "../cli.ts";
import { answerGate, type GateOptions } from "../gate-answer.ts";

interface ApproveOptions extends GateOptions {
  readonly value?: Record<string, string>;
}

export function run(
  cli: Cli,
  item: string,
  { value, ...options }: ApproveOptions,
): Promise<number> {
  return answerGate(cli, item, options, ([yes]) => ({
    choice: yes ?? null,
    values: value ?? null,
  }));
}
