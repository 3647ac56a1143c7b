/** The definitions of the `reprise sessions …` that keep sessions: hold, archive, set, prune. */

import { Option } from "commander";
import type { RepriseCommand } from "./help.ts";
import { assign } from "./input/assignment.ts";
import { collect } from "./input/collection.ts";
import type { Invoke } from "./invocation.ts";

export function defineKeepingCommands(sessions: RepriseCommand, invoke: Invoke): void {
  sessions
    .command("hold")
    .description("Keep a session as it is: never archived, pruned or reset while it is held.")
    .argument("<key>", "the session's key")
    .option("--by <name>", "who holds it (default: person); several may")
    .option("--reason <text>", "what for")
    .examples(
      "reprise sessions hold fix-42",
      'reprise sessions hold fix-42 --by release-7 --reason "waits for the approval"',
    )
    .action(invoke(() => import("./commands/sessions-hold.ts")));

  sessions
    .command("release")
    .description("End what one holder holds.")
    .argument("<key>", "the session's key")
    .option("--by <name>", "whose hold ends (default: person)")
    .examples("reprise sessions release fix-42", "reprise sessions release fix-42 --by release-7")
    .action(invoke(() => import("./commands/sessions-release.ts")));

  sessions
    .command("archive")
    .description(
      "Put a session away: everything is kept, and turns are refused until it is revived.",
    )
    .argument("<key>", "the session's key")
    .examples("reprise sessions archive fix-42")
    .action(invoke(() => import("./commands/sessions-archive.ts")));

  sessions
    .command("revive")
    .description("Make an archived session usable again.")
    .argument("<key>", "the session's key")
    .examples("reprise sessions revive fix-42")
    .action(invoke(() => import("./commands/sessions-revive.ts")));

  sessions
    .command("compact")
    .description(
      "Let the next turn make the session shorter: its agent compacts it, or a new one begins with a summary.",
    )
    .argument("<key>", "the session's key")
    .option("--focus <text>", "what matters most in what follows, for whoever writes the summary")
    .examples(
      "reprise sessions compact fix-42",
      'reprise sessions compact fix-42 --focus "the parser and its tests"',
    )
    .action(invoke(() => import("./commands/sessions-compact.ts")));

  sessions
    .command("set")
    .description("Give a session settings of its own, which come before those of all.")
    .argument("<key>", "the session's key")
    .option("--archive-after <time>", "unused for so long, prune archives it: 30d, or never")
    .option("--reset <mode>", "none, daily or idle")
    .option("--budget-max-age <time>", "how old its provider session may become, or none")
    .option("--budget-max-bytes <count>", "how many bytes its history may have, or none")
    .option("--budget-max-tokens <count>", "how many input tokens a turn may take, or none")
    .option("--budget-over <what>", "what happens when it is over its budget")
    .option("--set <name=value>", "any other setting; may be given again", assign)
    .option("--unset <name>", "take its own value away; may be given again", collect)
    .examples(
      "reprise sessions set fix-42 --archive-after 30d",
      "reprise sessions set fix-42 --archive-after never --budget-max-tokens 150000",
      "reprise sessions set fix-42 --set onAdvanced=catch-up --unset reset.mode",
    )
    .action(invoke(() => import("./commands/sessions-set.ts")));

  sessions
    .command("prune")
    .description("Archive sessions that nobody uses, and purge those archived long ago.")
    .addOption(
      new Option("--dry-run", "only list what is due (the default unless prune.mode is enforce)"),
    )
    .addOption(new Option("--enforce", "do it").conflicts("dryRun"))
    .examples("reprise sessions prune --dry-run", "reprise sessions prune --enforce")
    .action(invoke(() => import("./commands/sessions-prune.ts")));
}
