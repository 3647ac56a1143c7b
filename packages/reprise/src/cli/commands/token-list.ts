/** `reprise token list`: a line for each token. */

import type { TokenView } from "@reprise/core/api/reprise";
import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";
import { age, ago, until } from "../format/text.ts";

export async function run(cli: Cli): Promise<number> {
  requireOutsideTurn("list tokens");
  const tokens = await cli.withReprise((reprise) => reprise.tokens.list());
  if (cli.json) cli.document(tokens);
  else if (tokens.length === 0)
    cli.remark(
      `There are no tokens besides the home's own, in ${cli.home}/token. Create one:\n  reprise token create NAME --role viewer`,
    );
  else for (const line of lines(cli, tokens)) cli.out.line(line);
  return 0;
}

function lines(cli: Cli, tokens: readonly TokenView[]): string[] {
  const now = cli.now();
  return table<TokenView>(
    cli.out,
    [
      { title: "NAME", cell: ({ name }) => name, style: () => "bold", shrink: "middle" },
      { title: "ROLE", cell: ({ role }) => role },
      {
        title: "USED",
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : ago(lastUsedAt, now)),
      },
      { title: "STATE", cell: (token) => state(token, now) },
      {
        title: "EXPIRES",
        cell: ({ expiresAt }) => (expiresAt === null ? "never" : expiry(expiresAt, now)),
      },
      { title: "AGE", cell: ({ createdAt }) => age(createdAt, now), align: "right" },
    ],
    tokens,
  );
}

function state({ expiresAt, revokedAt }: TokenView, now: number): string {
  if (revokedAt !== null && revokedAt <= now && revokedAt !== expiresAt) return "revoked";
  if (expiresAt !== null && expiresAt <= now) return "expired";
  // Another token has its name already.
  return revokedAt === null ? "valid" : `replaced, ends in ${until(revokedAt, now)}`;
}

function expiry(at: number, now: number): string {
  return at <= now ? ago(at, now) : `in ${until(at, now)}`;
}
