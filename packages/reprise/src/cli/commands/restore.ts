/** `reprise restore`: puts the sessions of a backup into the home. */

import type { RestoreReport } from "@reprise/core/api/reprise";
import { BusyError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";
import { amount } from "../format/text.ts";

interface RestoreFlags {
  readonly force?: boolean;
  readonly withTokens?: boolean;
  readonly withWebhooks?: boolean;
}

export async function run(
  cli: Cli,
  file: string,
  { force = false, withTokens = false, withWebhooks = false }: RestoreFlags,
): Promise<number> {
  cli.requireOwnDatabase("restore", "Use pg_restore, or restore the backup into another home.");
  const { restore } = await import("@reprise/engine/backup/restore");
  const { readProviders } = await import("@reprise/engine/load-providers");
  const { builtInProviders } = await import("@reprise/providers/registry");
  const { actor } = await import("@reprise/engine/engine");
  const { mark } = await import("@reprise/providers/launch/process");
  const { home, cwd, now, env } = cli;
  const { findServer } = await import("../../server/server-record.ts");
  const server = await findServer(home);
  if (server.state === "answers" || server.state === "silent") throw inUse(home, server.record.url);
  // A home can be restored although the settings are broken.
  const { providers } = await readProviders(cli).catch(() => ({ providers: builtInProviders }));
  const report = await restore({
    ...{ home, file, force, withTokens, withWebhooks },
    ...{ providers, cwd, now, by: actor({ env, within: env[mark] ?? null }, null) },
  });
  if (cli.json) {
    cli.document(report);
    return 0;
  }
  const { sessions, turns, interrupted, keptAside } = report;
  const asOf = new Date(report.madeAt).toISOString();
  cli.out.line(
    `Restored ${amount(sessions, "session")} with ${amount(turns, "turn")}, as of ${asOf}, into ${report.home}.`,
  );
  if (interrupted > 0)
    cli.remark(
      `${amount(interrupted, "turn")} ${interrupted === 1 ? "was" : "were"} open in the backup: marked interrupted, not run again.`,
    );
  if (keptAside) cli.remark(`The previous content is kept in ${keptAside}.`);
  reportAccess(cli, report);
  cli.remark("Next: reprise session verify");
  return 0;
}

/** Reports the tokens, webhooks and agent programs of the backup, which could give others access. */
function reportAccess(cli: Cli, { tokens, webhooks, programs }: RestoreReport): void {
  const names = tokens.map(({ name, role }) => `${name} (${role})`).join(", ");
  if (tokens.length > 0)
    cli.remark(
      tokens[0]?.kept
        ? `Tokens that are valid again: ${names}. Revoke one with: reprise token revoke NAME`
        : `Revoked tokens: ${names}. To keep them: --with-tokens`,
    );
  const places = webhooks.map(({ id, url }) => url ?? `${id} (incoming)`).join(", ");
  if (webhooks.length > 0)
    cli.remark(
      webhooks[0]?.kept
        ? `Webhooks that are active again: ${places}. Remove one with: reprise webhook remove ID`
        : `Removed webhooks: ${places}. To keep them: --with-webhooks`,
    );
  for (const { name, settings } of programs)
    cli.remark(
      `Agent ${name} uses ${Object.entries(settings)
        .map(([setting, value]) => `${setting} ${value}`)
        .join(", ")}; check it before its next turn.`,
    );
}

function inUse(home: string, url: string): BusyError {
  return new BusyError(
    "served",
    `The home ${home} is served at ${url}, and a restore would replace the files that the server uses.`,
    'Stop the server with "reprise down", restore, and start it again.',
  );
}
