/** `reprise session show`: one session, its pins and its newest turns. */

import type { Reprise, SessionDetail } from "@reprise/core/api/reprise";
import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { holders } from "../format/holds.ts";
import { outcomeStyle, statusStyle } from "../format/outcome.ts";
import { fields, table } from "../format/table.ts";
import { age, ago } from "../format/text.ts";

interface ShowOptions {
  readonly limit?: number;
}

export async function run(cli: Cli, argument: string, { limit }: ShowOptions): Promise<number> {
  const key = sessionKey(argument);
  const session = await cli.withReprise((reprise) => read(reprise, key, limit));
  if (cli.json) {
    cli.document(session);
    return 0;
  }
  const { out } = cli;
  const now = cli.now();
  const lines = fields(out, [
    ["key", session.key],
    ["agent", `${session.agent} (${session.provider})`],
    ["turns", String(session.turns)],
    ["epoch", String(session.epoch)],
    ["channel", session.channel],
    ["started", ago(session.createdAt, now)],
    ["last used", ago(session.updatedAt, now)],
    ["archived", session.archivedAt === null ? null : ago(session.archivedAt, now)],
    ["held by", session.held.length === 0 ? null : holders(session)],
    ...Object.entries(session.settings).map(([name, value]) => [name, String(value)] as const),
    ["pin", session.pins.length === 0 ? "no turn was confirmed" : null],
    ...session.pins.flatMap(pinFields(now)),
  ]);
  for (const line of lines) out.line(line);
  if (session.recent.length > 0) {
    out.line();
    for (const line of turnTable(cli, session)) out.line(line);
  }
  const { recent, turns } = session;
  if (recent.length < turns)
    cli.remark(
      `The newest ${recent.length} of ${turns} turns. All: reprise session show ${key} --limit ${turns}`,
    );
  return 0;
}

async function read(
  { sessions, turns }: Reprise,
  key: string,
  limit: number | undefined,
): Promise<SessionDetail> {
  const session = await sessions.show(key);
  return limit === undefined ? session : { ...session, recent: await turns.list({ key, limit }) };
}

function pinFields(now: number) {
  return (pin: SessionDetail["pins"][number]): [string, string][] => [
    ["pin", `${pin.agent} · ${pin.handle} · confirmed ${ago(pin.confirmedAt, now)}`],
    ["folder", pin.folder],
    ...(pin.model ? ([["model", pin.model]] satisfies [string, string][]) : []),
  ];
}

function turnTable(cli: Cli, { recent }: SessionDetail): string[] {
  const now = cli.now();
  return table<SessionDetail["recent"][number]>(
    cli.out,
    [
      { title: "TURN", cell: ({ seq }) => String(seq), align: "right" },
      { title: "ID", cell: ({ id }) => id.slice(0, 8), style: () => "dim" },
      {
        title: "OUTCOME",
        cell: ({ outcome }) => outcome ?? "-",
        style: ({ outcome }) => outcomeStyle(outcome),
      },
      { title: "WHY", cell: ({ reason }) => reason ?? "-" },
      {
        title: "STATUS",
        cell: ({ status, cancelledBy, takenBack }) =>
          [status, cancelledBy && `by ${cancelledBy}`, takenBack && "taken back"]
            .filter(Boolean)
            .join(" "),
        style: ({ status }) => statusStyle(status),
      },
      { title: "AGE", cell: ({ openedAt }) => age(openedAt, now), align: "right" },
      { title: "PROMPT", cell: ({ prompt }) => prompt.slice(0, 400), shrink: "end" },
    ],
    recent,
  );
}
