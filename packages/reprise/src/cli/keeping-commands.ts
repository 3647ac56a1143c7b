/** The definitions of the `reprise session …` commands that keep sessions: hold, archive, set, prune. */

import { Option } from "commander";
import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";
import { collect } from "./input/collection.ts";
import { assign, nonEmpty } from "./input/turn.ts";

export function defineKeepingCommands(session: RepriseCommand, invoke: Invoke): void {
  session
    .command("compact")
    .description("Compact a session at its next turn, or start a new one from a summary.")
    .argument("<key>", "key of the session")
    .option("--focus <text>", "what the summary should focus on", nonEmpty("--focus"))
    .examples(
      "reprise session compact fix-42",
      'reprise session compact fix-42 --focus "the parser and its tests"',
    )
    .action(invoke(() => import("./commands/session-compact.ts")));

  session
    .command("set")
    .description("Change the settings of one session. They override all other settings.")
    .argument("<key>", "key of the session")
    .option("--archive-after <time>", "let prune archive it after this time unused: 30d, or never")
    .option("--reset <mode>", "none, daily or idle")
    .option("--budget-max-age <time>", "maximum age of its provider session, or none")
    .option("--budget-max-bytes <count>", "maximum size of its history in bytes, or none")
    .option("--budget-max-tokens <count>", "maximum input tokens of a turn, or none")
    .option(
      "--budget-over <what>",
      "what to do when it is over budget: warn, compact, reseed, refuse",
    )
    .option("--set <name=value>", "any other setting; can be repeated", assign)
    .option("--unset <name>", "remove the session's own value; can be repeated", collect)
    .examples(
      "reprise session set fix-42 --archive-after 30d",
      "reprise session set fix-42 --archive-after never --budget-max-tokens 150000",
      "reprise session set fix-42 --set onAdvanced=catch-up --unset reset.mode",
    )
    .action(invoke(() => import("./commands/session-set.ts")));

  session
    .command("hold")
    .description("Keep a session from being archived, pruned or reset until it is released.")
    .argument("<key>", "key of the session")
    .option(
      "--by <name>",
      "name of the holder (default: person); a session can have several",
      nonEmpty("--by"),
    )
    .option("--reason <text>", "why it is held")
    .examples(
      "reprise session hold fix-42",
      'reprise session hold fix-42 --by release-7 --reason "waits for the approval"',
    )
    .action(invoke(() => import("./commands/session-hold.ts")));

  session
    .command("release")
    .description("Release a session that is held.")
    .argument("<key>", "key of the session")
    .option("--by <name>", "holder to release (default: person)", nonEmpty("--by"))
    .examples("reprise session release fix-42", "reprise session release fix-42 --by release-7")
    .action(invoke(() => import("./commands/session-release.ts")));

  session
    .command("archive")
    .description("Archive a session. Everything is kept; turns are refused until it is revived.")
    .argument("<key>", "key of the session")
    .examples("reprise session archive fix-42")
    .action(invoke(() => import("./commands/session-archive.ts")));

  session
    .command("revive")
    .description("Make an archived session usable again.")
    .argument("<key>", "key of the session")
    .examples("reprise session revive fix-42")
    .action(invoke(() => import("./commands/session-revive.ts")));

  session
    .command("prune")
    .description("Archive sessions that are unused, and purge those archived long ago.")
    .addOption(
      new Option("--dry-run", "list what is due (the default unless prune.mode is enforce)"),
    )
    .addOption(new Option("--enforce", "archive and purge what is due").conflicts("dryRun"))
    .examples("reprise session prune --dry-run", "reprise session prune --enforce")
    .action(invoke(() => import("./commands/session-prune.ts")));
}
