/** `reprise approve`: approves a gate, or allows what an agent asks to do. */

import type { Cli } from "../cli.ts";
import { decideItem, type GateOptions } from "../gate-answer.ts";

interface ApproveOptions extends GateOptions {
  readonly value?: Record<string, string>;
}

export function run(
  cli: Cli,
  item: string,
  { value, ...options }: ApproveOptions,
): Promise<number> {
  return decideItem(cli, item, options, ([yes]) => ({
    choice: yes ?? null,
    values: value ?? null,
  }));
}
