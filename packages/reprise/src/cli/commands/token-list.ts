/** `reprise token list`: a line for each token. */

import { requireOutsideTurn } from "@reprise/engine/outside-turn";
import { listTokens, type TokenView } from "../../server/tokens.ts";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";
import { age, ago } from "../format/time.ts";

export async function run(cli: Cli): Promise<number> {
  requireOutsideTurn("list tokens");
  const tokens = await cli.withHome(({ engine }) => listTokens(engine.store));
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
      { title: "STATE", cell: ({ revokedAt }) => (revokedAt === null ? "valid" : "revoked") },
      { title: "AGE", cell: ({ createdAt }) => age(createdAt, now), align: "right" },
    ],
    tokens,
  );
}
