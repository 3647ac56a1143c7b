/** `reprise doctor`: checks the home and the agents, and says how to fix problems; exit code 1 on a problem. */

import type { DoctorReport } from "@reprise/core/api/reprise";
import type { Style } from "../channel.ts";
import type { Cli } from "../cli.ts";
import { marked } from "../format/outcome.ts";

const marks: Record<DoctorReport["findings"][number]["state"], readonly [string, Style]> = {
  ok: ["✓", "green"],
  warning: ["!", "yellow"],
  problem: ["✗", "red"],
};

export async function run(cli: Cli): Promise<number> {
  const { out } = cli;
  const report = await cli.withReprise((reprise) => reprise.doctor());
  await remarkIgnored(cli, report);
  if (cli.json) cli.document(report);
  else
    for (const { subject, state, text, hint } of report.findings) {
      const [mark, style] = marks[state];
      for (const line of marked(out, out.paint(style, mark), `${subject}: ${text}`)) out.line(line);
      if (hint) for (const line of marked(out, " ", hint)) out.line(out.paint("dim", line));
    }
  return report.ok ? 0 : 1;
}

/** A server reports on the folder in which it was started; the project of this folder may be another one. */
async function remarkIgnored(cli: Cli, { findings }: DoctorReport): Promise<void> {
  const { readSettings } = await import("@reprise/engine/config");
  const { ignored } = await readSettings({ flags: {}, env: cli.env, cwd: cli.cwd, tolerant: true });
  const reported = new Set(findings.map(({ text }) => text));
  for (const text of ignored) if (!reported.has(text)) cli.remark(text);
}
