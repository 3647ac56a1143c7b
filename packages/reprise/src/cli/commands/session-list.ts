/** `reprise session list`: a line for each session, the last used first. */

import { resolve } from "node:path";
import type { SessionFilter, SessionView } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { outcomeStyle, statusStyle } from "../format/outcome.ts";
import { table } from "../format/table.ts";
import { age, amount } from "../format/text.ts";
import { readPages, remarkRest } from "../pages.ts";

interface ListOptions extends Pick<SessionFilter, "agent" | "status" | "folder" | "since"> {
  readonly all?: boolean;
  readonly limit?: number;
  readonly after?: string;
}

export async function run(
  cli: Cli,
  text: string | undefined,
  options: ListOptions,
): Promise<number> {
  const { all = false, limit = 100, after } = options;
  const wanted = filterOf(cli, text, options);
  const isFiltered = Object.keys(wanted).length > 0;
  const filter = { ...wanted, ofRuns: all || isFiltered };
  const { sessions, total, ofRuns } = await cli.withReprise(async (reprise) => {
    const page = { limit, ...(after !== undefined && { after }) };
    const sessions = await readPages(
      page,
      (each) => reprise.sessions.list({ ...filter, order: "used", ...each }),
      ({ key }) => key,
    );
    const total = await reprise.sessions.count(filter);
    const ofRuns = filter.ofRuns ? 0 : (await reprise.sessions.count()) - total;
    return { sessions, total, ofRuns };
  });
  if (cli.json) {
    cli.document(sessions);
    return 0;
  }
  const hidden = `${amount(ofRuns, "session")} of workflow runs not listed; show all with: reprise session list --all`;
  if (sessions.length === 0) {
    cli.remark(after ? `There are no sessions after ${after}.` : emptyText(isFiltered));
    if (ofRuns > 0) cli.remark(hidden);
    return 0;
  }
  for (const line of lines(cli, sessions)) cli.out.line(line);
  const last = sessions.at(-1)!.key;
  if (sessions.length === limit)
    remarkRest(cli, { shown: sessions.length, total, what: "sessions", last });
  if (ofRuns > 0) cli.remark(hidden);
  return 0;
}

function filterOf(
  { cwd, now }: Cli,
  text: string | undefined,
  { agent, status, folder, since }: ListOptions,
): SessionFilter {
  return {
    ...(text && { q: text }),
    ...(agent && { agent }),
    ...(status && { status }),
    ...(folder && { folder: resolve(cwd, folder) }),
    ...(since && { since: now() - since }),
  };
}

function lines(cli: Cli, sessions: readonly SessionView[]): string[] {
  const now = cli.now();
  return table<SessionView>(
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
        cell: ({ status, archivedAt, held }) =>
          `${archivedAt === null ? (status ?? "-") : "archived"}${held.length > 0 ? ", held" : ""}`,
        style: ({ status }) => statusStyle(status),
      },
      {
        title: "USED",
        cell: ({ status, updatedAt }) => (status === "running" ? "now" : age(updatedAt, now)),
        align: "right",
      },
    ],
    sessions,
  );
}

function emptyText(isFiltered: boolean): string {
  if (isFiltered) return "No session matches. List all with: reprise session list --all";
  return [
    "There are no sessions yet. Create an agent, then send it a prompt:",
    "  reprise agent create coder --provider codex",
    '  reprise send my-task "Hello." --agent coder',
    "Or watch the demonstration: reprise demo",
  ].join("\n");
}
