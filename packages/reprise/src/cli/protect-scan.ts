/** A whole scan in calls of limited length, with its progress on standard error, and its result in one sentence. */

import type { Reprise, ScanReport } from "@reprise/core/api/reprise";
import type { Cli } from "./cli.ts";
import { amount, elapsed, grouped } from "./format/text.ts";

/** How many files one call reads. */
const filesAtOnce = 2000;

export async function scanAll(
  cli: Cli,
  { protect }: Pick<Reprise, "protect">,
  { agent }: { readonly agent?: string | undefined },
): Promise<ScanReport> {
  const scan = () => protect.scan({ ...(agent !== undefined && { agent }), limit: filesAtOnce });
  let report = await scan();
  // Files that cannot be read stay among the remaining ones.
  for (let read = report.filesRead; report.remaining > 0 && read > 0; ) {
    cli.remark(`${amount(report.filesRead, "file")} read, ${grouped(report.remaining)} to go`);
    const next = await scan();
    read = next.filesRead;
    report = joined(report, next);
  }
  return report;
}

function joined(before: ScanReport, next: ScanReport): ScanReport {
  const sum = (of: (report: ScanReport) => number) => of(before) + of(next);
  return {
    ...next,
    added: sum(({ added }) => added),
    changed: sum(({ changed }) => changed),
    gone: sum(({ gone }) => gone),
    filesRead: sum(({ filesRead }) => filesRead),
    bytesRead: sum(({ bytesRead }) => bytesRead),
    took: sum(({ took }) => took),
  };
}

export function scanText({ found, added, changed, gone, unread, took }: ScanReport): string {
  const parts = [
    `${grouped(added)} new`,
    `${grouped(changed)} changed`,
    ...(gone > 0 ? [`${grouped(gone)} gone`] : []),
    ...(unread.length > 0 ? [`${amount(unread.length, "file")} not read`] : []),
  ];
  return `Scanned ${amount(found, "session file")} in ${elapsed(took)}: ${parts.join(", ")}.`;
}
