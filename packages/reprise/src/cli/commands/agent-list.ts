/** `reprise agent list`: a line for each agent, or with `--class` for each class. */

import type { AgentClassView } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";
import { age } from "../format/text.ts";

const none = {
  agents: "There are no agents yet. Create one:\n  reprise agent create coder --provider codex",
  classes:
    "There are no classes yet. Create one:\n  reprise agent create reviewer --class --provider codex",
};

export async function run(cli: Cli, options: { readonly class?: boolean }): Promise<number> {
  const what = options.class ? "classes" : "agents";
  const listed: AgentClassView[] = await cli.withReprise(({ agents }) =>
    options.class ? agents.listClasses() : agents.list(),
  );
  if (cli.json) cli.document(listed);
  else if (listed.length === 0) cli.remark(none[what]);
  else for (const line of lines(cli, listed)) cli.out.line(line);
  return 0;
}

function lines(cli: Cli, listed: readonly AgentClassView[]): string[] {
  const now = cli.now();
  return table<AgentClassView>(
    cli.out,
    [
      { title: "NAME", cell: ({ name }) => name, style: () => "bold", shrink: "middle" },
      { title: "PROVIDER", cell: ({ provider }) => provider },
      { title: "ACCESS", cell: ({ access }) => access },
      { title: "KIND", cell: ({ kind }) => kind },
      { title: "MODEL", cell: ({ model }) => model ?? "-", shrink: "middle" },
      { title: "FOLDER", cell: ({ folder }) => folder ?? "-", shrink: "middle" },
      { title: "AGE", cell: ({ createdAt }) => age(createdAt, now), align: "right" },
    ],
    listed,
  );
}
