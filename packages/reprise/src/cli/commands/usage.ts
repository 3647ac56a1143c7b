/** `reprise usage`: what sessions used, and what resuming them saved. */

import type { UsageReport } from "@reprise/core/api/reprise";
import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { type Column, table } from "../format/table.ts";
import { amount, grouped, wrap } from "../format/text.ts";

interface UsageOptions {
  readonly key?: string;
  readonly agent?: string;
  readonly since?: number;
  readonly limit?: number;
}

type Figures = UsageReport["total"];
type Row = Figures & { readonly name: string; readonly agent: string };

const legend = [
  "Tokens are what the agents' programs report; ~ is estimated, - is not reported.",
  "SAVED is what a reseed would have sent (its transcript at four bytes a token), less what was sent uncached, and at least 0.",
  "Resuming does not shrink what a model is sent: it keeps the beginning the same, so that the provider's cache can serve it.",
];

export async function run(cli: Cli, options: UsageOptions): Promise<number> {
  const { key, agent, since, limit } = options;
  const report = await cli.withReprise((reprise) =>
    reprise.usage({
      key: key === undefined ? null : sessionKey(key),
      agent: agent ?? null,
      since: since === undefined ? null : cli.now() - since,
      ...(limit && { limit }),
    }),
  );
  if (cli.json) cli.document(report);
  else if (report.total.turns === 0) cli.remark("No turn has run.");
  else print(cli, report);
  return 0;
}

function print(cli: Cli, { turns, sessions, total }: UsageReport): void {
  const rows: Row[] = turns
    ? turns.toReversed().map((turn) => ({ ...turn, name: `turn ${turn.seq}` }))
    : sessions.map((session) => ({ ...session, name: session.key }));
  const all = { ...total, name: "total", agent: "" };
  const columns: Column<Row>[] = [
    {
      title: turns ? "TURN" : "SESSION",
      cell: ({ name }) => name,
      style: () => "bold",
      shrink: "middle",
    },
    { title: "AGENT", cell: ({ agent }) => agent, shrink: "middle" },
    outcomes,
    figure("CACHED", ({ cachedRead }) => cachedRead),
    figure("WRITTEN", ({ cachedWrite }) => cachedWrite),
    figure("UNCACHED", ({ uncached }) => uncached),
    figure("OUTPUT", ({ output }) => output),
    figure("SAVED", ({ saved }) => saved),
  ];
  for (const line of table(cli.out, columns, [...rows, all])) cli.out.line(line);
  if (total.unreportedTurns > 0)
    cli.remark(`${amount(total.unreportedTurns, "turn")} reported no usage.`);
  for (const line of legend.flatMap((text) => wrap(text, cli.err.width)))
    cli.remark(cli.err.paint("dim", line));
}

const outcomes: Column<Row> = {
  title: "OUTCOMES",
  cell: ({ outcomes: by }) =>
    (["resume", "reseed", "blank", "refuse"] as const)
      .filter((name) => by[name] > 0)
      .map((name) => `${grouped(by[name])} ${name}`)
      .join(", "),
  shrink: "end",
};

function figure(title: string, of: (row: Row) => Figures["saved"]): Column<Row> {
  return {
    title,
    cell: (row) => {
      const { tokens, known } = of(row);
      if (tokens === null) return "-";
      return `${known === "estimated" ? "~" : ""}${grouped(tokens)}`;
    },
    align: "right",
  };
}
