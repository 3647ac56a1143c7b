/** The definitions of the `reprise protect …` commands: keep the sessions that Reprise did not start. */

import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";
import { nonEmpty } from "./input/turn.ts";
import { wholeNumber } from "./input/whole-number.ts";

export function defineProtectCommands(program: RepriseCommand, invoke: Invoke): void {
  const protect = program
    .command("protect")
    .description("Keep the sessions that Reprise did not start: on, off, scan, status, forget.")
    .helpCommand(false);
  protect
    .command("on")
    .description("Keep them regularly while a server runs. Nothing is written into their homes.")
    .option(
      "--hooks",
      "also scan when a session ends: adds hooks to your settings of claude and gemini, after showing them",
    )
    .option("--yes", "add the hooks without asking")
    .examples("reprise protect on", "reprise protect on --hooks")
    .action(invoke(() => import("./commands/protect-on.ts")));
  protect
    .command("off")
    .description("Stop keeping them regularly, and remove the hooks. What is kept stays.")
    .examples("reprise protect off")
    .action(invoke(() => import("./commands/protect-off.ts")));
  protect
    .command("scan")
    .description("Keep the sessions that are new or have changed since the last scan.")
    .option("--agent <name>", "only the home of this agent's program", nonEmpty("--agent"))
    .examples("reprise protect scan", "reprise protect scan --agent coder --json")
    .action(invoke(() => import("./commands/protect-scan.ts")));
  protect
    .command("status")
    .description("Count what is kept, and list what expires next and what is gone.")
    .option("--limit <count>", "maximum to list of each (default: 5)", wholeNumber)
    .examples("reprise protect status", "reprise protect status --limit 50 --json")
    .action(invoke(() => import("./commands/protect-status.ts")));
  protect
    .command("forget")
    .description("Remove the copy of a session. While its files are there, it is not kept again.")
    .argument("<id>", "the provider's own id, or the beginning of it")
    .option("--provider <name>", "where two programs have a session with this id")
    .examples("reprise protect forget 0f5b1c1e")
    .action(invoke(() => import("./commands/protect-forget.ts")));
}

export function defineRestore(session: RepriseCommand, invoke: Invoke): void {
  session
    .command("restore")
    .description("Write the files of a session that protect kept back to where they were.")
    .argument("<id>", "the provider's own id, or the beginning of it")
    .option("--provider <name>", "where two programs have a session with this id")
    .option("--dry-run", "only show what would be written")
    .option("--force", "replace files that are there and differ, and keep them aside")
    .option("--earlier", "the copy from before its program last rewrote a file")
    .examples(
      "reprise session restore 0f5b1c1e --dry-run",
      "reprise session restore 0f5b1c1e",
      "reprise session restore 0f5b1c1e --force",
    )
    .action(invoke(() => import("./commands/session-restore.ts")));
}
