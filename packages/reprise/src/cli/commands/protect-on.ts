/** `reprise protect on`: keeps the sessions that Reprise did not start, and scans for them at once. */

import { UsageError } from "@reprise/core/errors/errors";
import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import { findServer } from "../../server/server-record.ts";
import type { Cli } from "../cli.ts";
import { elapsed } from "../format/text.ts";
import { asking, isAnswerable } from "../input/ask.ts";
import { type HookChange, hooksToAdd, writeHooks } from "../protect-hooks.ts";
import { scanAll, scanText } from "../protect-scan.ts";

interface OnOptions {
  readonly hooks?: boolean;
  readonly yes?: boolean;
}

export async function run(cli: Cli, { hooks = false, yes = false }: OnOptions): Promise<number> {
  requireOutsideTurn("turn protect on");
  const adding = hooks ? await hooksToAdd(cli) : [];
  const isAgreed = adding.length === 0 || (await agreed(cli, adding, yes));
  const { status, report } = await cli.withReprise(async (reprise) => {
    await reprise.protect.set({ on: true });
    const scanned = await scanAll(cli, reprise, {});
    return { status: await reprise.protect.status(), report: scanned };
  });
  if (isAgreed) await writeHooks(adding);
  const files = isAgreed ? adding.map(({ file }) => file) : [];
  if (cli.json) {
    cli.document({ status, report, hooks: files });
    return 0;
  }
  cli.out.line(`Protect is on. ${scanText(report)}`);
  for (const file of files) cli.out.line(`Added hooks to ${file}.`);
  const every = elapsed(status.every);
  const isServed = (await findServer(cli.home)).state === "answers";
  cli.remark(
    isServed
      ? `The server scans again every ${every} (setting protect.every).`
      : `A server scans again every ${every}; none is running. Start one with: reprise up --detach`,
  );
  return 0;
}

/** Shows what would be added first. */
async function agreed(cli: Cli, adding: readonly HookChange[], yes: boolean): Promise<boolean> {
  for (const { title, file, hooks } of adding)
    cli.remark(`${title}, ${file}: adds\n${JSON.stringify({ hooks }, null, 2)}`);
  if (yes) return true;
  if (!isAnswerable(cli))
    throw new UsageError(
      "not-confirmed",
      "Changing the settings of the agents' programs must be confirmed, and there is no terminal. Nothing was changed.",
      "Confirm with --yes.",
    );
  return asking(cli, async (ask) => /^y(es)?$/i.test(await ask("Add these hooks? [y/N]")));
}
