/** `reprise session list`: a line for each session. */

import type { SessionView } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { outcomeStyle, statusStyle } from "../format/outcome.ts";
import { table } from "../format/table.ts";
import { age } from "../format/time.ts";

interface ListOptions {
  readonly agent?: string;
  readonly limit?: number;
  readonly after?: string;
}

export async function run(cli: Cli, options: ListOptions): Promise<number> {
  const { agent, limit, after } = options;
  const query = { ...(agent && { agent }), ...(limit && { limit }), ...(after && { after }) };
  const sessions = await cli.withReprise((reprise) => reprise.sessions.list(query));
  if (cli.json) {
    cli.document(sessions);
    return 0;
  }
  if (sessions.length === 0) {
    cli.remark(emptyText(options));
    return 0;
  }
  const now = cli.now();
  const lines = table<SessionView>(
    cli.out,
    [
      { title: "KEY", cell: ({ key }) => key, style: () => "bold", shrink: "middle" },
      { title: "AGENT", cell: ({ agent }) => agent, shrink: "middle" },
      { title: "PROVIDER", cell: ({ provider }) => provider },
      { title: "TURNS", cell: ({ turns }) => String(turns), align: "right" },
      {
        title: "LAST",
        cell: ({ lastOutcome }) => lastOutcome ?? "-",
        style: ({ lastOutcome }) => outcomeStyle(lastOutcome),
      },
      {
        title: "STATUS",
        cell: ({ lastStatus, archivedAt, held }) =>
          `${archivedAt === null ? (lastStatus ?? "-") : "archived"}${held.length > 0 ? ", held" : ""}`,
        style: ({ lastStatus }) => statusStyle(lastStatus),
      },
      { title: "AGE", cell: ({ updatedAt }) => age(updatedAt, now), align: "right" },
    ],
    sessions,
  );
  for (const line of lines) cli.out.line(line);
  if (sessions.length === limit)
    cli.remark(`There may be more: reprise session list --after ${sessions.at(-1)!.key}`);
  return 0;
}

function emptyText({ agent, after }: ListOptions): string {
  if (after) return `There are no sessions after ${after}.`;
  if (agent)
    return `Agent ${agent} has no sessions yet. Start one: reprise send KEY "…" --agent ${agent}`;
  return [
    "There are no sessions yet. Begin with an agent, then send it something:",
    "  reprise agent create coder --provider codex",
    '  reprise send my-task "Hello." --agent coder',
    "Or look at the demonstration: reprise demo",
  ].join("\n");
}
