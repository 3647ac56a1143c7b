/** `reprise session set`: changes a session's own settings. */

import { UsageError } from "@reprise/core/errors/errors";
import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { fields } from "../format/table.ts";

interface SetOptions {
  readonly archiveAfter?: string;
  readonly reset?: string;
  readonly budgetMaxAge?: string;
  readonly budgetMaxBytes?: string;
  readonly budgetMaxTokens?: string;
  readonly budgetOver?: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
}

export async function run(cli: Cli, argument: string, options: SetOptions): Promise<number> {
  const key = sessionKey(argument);
  const settings = settingsOf(options);
  if (Object.keys(settings).length === 0)
    throw new UsageError(
      "nothing-to-set",
      "There is nothing to set.",
      "Name a setting, as in --archive-after 30d or --set onAdvanced=catch-up.",
    );
  const session = await cli.withReprise(({ sessions }) => sessions.set({ key, settings }));
  if (cli.json) {
    cli.document(session);
    return 0;
  }
  const own = Object.entries(session.settings);
  if (own.length === 0) cli.remark(`Session ${key} has no settings of its own.`);
  for (const line of fields(
    cli.out,
    own.map(([name, value]) => [name, String(value)]),
  ))
    cli.out.line(line);
  return 0;
}

function settingsOf(options: SetOptions): Record<string, string | null> {
  const named = {
    archiveAfter: options.archiveAfter,
    "reset.mode": options.reset,
    "budget.maxAge": options.budgetMaxAge,
    "budget.maxBytes": options.budgetMaxBytes,
    "budget.maxTokens": options.budgetMaxTokens,
    "budget.over": options.budgetOver,
  };
  const given = Object.entries(named).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const unset = (options.unset ?? []).map((name) => [name, null] as const);
  return { ...options.set, ...Object.fromEntries(given), ...Object.fromEntries(unset) };
}
