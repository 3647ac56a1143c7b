/** `reprise doctor`: checks the home and the agents, and says how to fix problems; exit code 1 on a problem. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DoctorReport } from "@reprise/core/api/reprise";
import { NotFoundError, TerminalError } from "@reprise/core/errors/errors";
import type { Cli, Style } from "../cli.ts";
import { marked } from "../format/outcome.ts";

const marks: Record<DoctorReport["findings"][number]["state"], readonly [string, Style]> = {
  ok: ["✓", "green"],
  warning: ["!", "yellow"],
  problem: ["✗", "red"],
};

export async function run(cli: Cli): Promise<number> {
  const { out } = cli;
  const report = await cli
    .withReprise((reprise) => reprise.doctor())
    .catch((error) => withoutServer(cli, error))
    .catch((error) => withoutHome(cli, error));
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

/** A home on PostgreSQL is examined by its server; if it has none that can be used, that is the finding. */
function withoutServer({ home }: Cli, error: unknown): DoctorReport {
  if (!(error instanceof TerminalError && ["no-server", "other-version"].includes(error.code)))
    throw error;
  const { message: text, hint } = error;
  return {
    ok: false,
    findings: [
      { subject: "home", state: "ok", text: home, hint: null },
      { subject: "server", state: "problem", text, hint },
    ],
  };
}

/** Before there is a home, it says which agents are installed. A home that was named must exist. */
async function withoutHome(cli: Cli, error: unknown): Promise<DoctorReport> {
  if (!(error instanceof NotFoundError && error.code === "no-home" && cli.isUsualHome)) throw error;
  const { env, cwd } = cli;
  const { openEngine } = await import("@reprise/engine/open-reprise");
  const scratch = await mkdtemp(join(tmpdir(), "reprise-doctor-"));
  try {
    const { reprise } = await openEngine({ home: scratch, env, cwd, tolerant: true });
    const { ok, findings } = await reprise.doctor().finally(() => reprise.close());
    const aboutHome = ["home", "database", "agents"];
    const [node, ...others] = findings.filter(({ subject }) => !aboutHome.includes(subject));
    const { message: text, hint } = error;
    const home = { subject: "home", state: "warning", text, hint } as const;
    return { ok, findings: [...(node ? [node] : []), home, ...others] };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A server reports on the folder in which it was started; the project of this folder may be another one. */
async function remarkIgnored(cli: Cli, { findings }: DoctorReport): Promise<void> {
  const { readSettings } = await import("@reprise/engine/config");
  const { ignored } = await readSettings({ flags: {}, env: cli.env, cwd: cli.cwd, tolerant: true });
  const reported = new Set(findings.map(({ text }) => text));
  for (const text of ignored) if (!reported.has(text)) cli.remark(text);
}
