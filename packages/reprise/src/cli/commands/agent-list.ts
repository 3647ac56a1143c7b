/** `reprise agent list`: a line for each agent. */

import type { AgentView } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";
import { age } from "../format/time.ts";

export async function run(cli: Cli): Promise<number> {
  const agents = await cli.withReprise((reprise) => reprise.agents.list());
  if (cli.json) cli.document(agents);
  else if (agents.length === 0)
    cli.remark(
      "There are no agents yet. Create one:\n  reprise agent create coder --provider codex",
    );
  else for (const line of lines(cli, agents)) cli.out.line(line);
  return 0;
}

function lines(cli: Cli, agents: readonly AgentView[]): string[] {
  const now = cli.now();
  return table<AgentView>(
    cli.out,
    [
      { title: "NAME", cell: ({ name }) => name, style: () => "bold", shrink: "middle" },
      { title: "PROVIDER", cell: ({ provider }) => provider },
      { title: "KIND", cell: ({ kind }) => kind },
      { title: "MODEL", cell: ({ model }) => model ?? "-", shrink: "middle" },
      { title: "FOLDER", cell: ({ folder }) => folder ?? "-", shrink: "middle" },
      { title: "AGE", cell: ({ createdAt }) => age(createdAt, now), align: "right" },
    ],
    agents,
  );
}
