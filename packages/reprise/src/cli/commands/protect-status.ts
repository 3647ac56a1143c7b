/** `reprise protect status`: what is kept by home, what expires next, and what is gone. */

import type { KeptSessionView, ProtectStatus } from "@reprise/core/api/reprise";
import { DeniedError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";
import { byteText } from "../format/bytes.ts";
import { table } from "../format/table.ts";
import { ago, amount, clock, elapsed, grouped } from "../format/text.ts";

const day = 24 * 60 * 60 * 1000;

interface Status extends ProtectStatus {
  /** Null for a token that may not see them. */
  readonly expiring: readonly KeptSessionView[] | null;
  readonly lost: readonly KeptSessionView[] | null;
}

export async function run(cli: Cli, { limit = 5 }: { readonly limit?: number }): Promise<number> {
  const status = await cli.withReprise(async ({ protect }): Promise<Status> => {
    const counts = await protect.status();
    try {
      const expiring = await protect.list({ limit });
      return { ...counts, expiring, lost: await protect.list({ gone: true, limit }) };
    } catch (error) {
      if (!(error instanceof DeniedError)) throw error;
      return { ...counts, expiring: null, lost: null };
    }
  });
  if (cli.json) cli.document(status);
  else print(cli, status);
  return 0;
}

function print(cli: Cli, status: Status): void {
  const { out } = cli;
  const { onAt, every, scannedAt, unread, homes, expiring, lost } = status;
  const now = cli.now();
  const scanned = scannedAt === null ? "no scan yet" : `last scan ${ago(scannedAt, now)}`;
  out.line(
    onAt === null
      ? `Protect is off, ${scanned}.`
      : `Protect is on, ${scanned}, every ${elapsed(every)} while a server runs.`,
  );
  if (onAt === null) cli.remark("Turn it on with: reprise protect on");
  if (unread > 0)
    out.line(`${amount(unread, "file")} could not be read; reprise protect scan names them.`);
  if (homes.length === 0) return;
  out.line("");
  for (const line of table(
    out,
    [
      { title: "PROGRAM", cell: ({ provider }) => provider, style: () => "bold" },
      { title: "KEPT", cell: ({ kept }) => grouped(kept), align: "right" },
      { title: "GONE", cell: ({ gone }) => grouped(gone), align: "right" },
      { title: "REPRISE'S", cell: ({ own }) => grouped(own), align: "right" },
      { title: "SIZE", cell: ({ bytes }) => byteText(bytes), align: "right" },
      {
        title: "DELETES",
        cell: ({ deletesAfter }) =>
          deletesAfter === null
            ? "never"
            : `after ${amount(Math.round(deletesAfter / day), "day")}`,
      },
      { title: "HOME", cell: ({ place }) => place, shrink: "middle" },
    ],
    homes,
  ))
    out.line(line);
  section(cli, "Next to expire:", expiring, "EXPIRES", ({ expiresAt }) =>
    expiresAt === null ? "" : clock(expiresAt),
  );
  section(cli, "Gone, and kept here:", lost, "GONE SINCE", ({ goneAt }) =>
    goneAt === null ? "" : clock(goneAt),
  );
  const why = new Set(expiring?.map((session) => session.why).filter((text) => text !== null));
  for (const text of why) cli.remark(text);
  if (lost !== null && lost.length > 0) cli.remark("Put one back with: reprise session restore ID");
}

function section(
  { out }: Cli,
  heading: string,
  sessions: readonly KeptSessionView[] | null,
  title: string,
  time: (session: KeptSessionView) => string,
): void {
  if (sessions === null || sessions.length === 0) return;
  out.line("");
  out.line(heading);
  for (const line of table<KeptSessionView>(
    out,
    [
      { title: "ID", cell: ({ id }) => id, style: () => "bold" },
      { title: "PROGRAM", cell: ({ provider }) => provider },
      { title, cell: time },
      { title: "FOLDER", cell: ({ folder }) => folder ?? "", shrink: "middle" },
      { title: "ASKED FIRST", cell: ({ prompt }) => prompt ?? "", shrink: "end" },
    ],
    sessions,
  ))
    out.line(line);
}
