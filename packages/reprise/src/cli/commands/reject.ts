/** `reprise reject`: rejects a gate, or denies what an agent asks to do. */

import { UsageError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";
import { decideItem, type GateOptions } from "../gate-answer.ts";

export function run(cli: Cli, item: string, options: GateOptions): Promise<number> {
  return decideItem(cli, item, options, (choices) => {
    const [, no, ...others] = choices;
    if (no === undefined || others.length > 0)
      throw new UsageError(
        "which-choice",
        `Item ${item} has other choices than yes and no: ${choices.join(", ")}.`,
        `Answer with one of them: reprise answer ${item} CHOICE.`,
      );
    return { choice: no };
  });
}
