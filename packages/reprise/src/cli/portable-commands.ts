/** The definitions of the `reprise session …` commands that fork, move, export, import or open a session. */

import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";
import { nonEmpty } from "./input/turn.ts";

export function definePortableCommands(session: RepriseCommand, invoke: Invoke): void {
  session
    .command("fork")
    .description("Copy a session to a new key. The original stays as it is.")
    .argument("<key>", "key of the session")
    .argument("<newkey>", "key of the copy")
    .option("--at <turn>", "copy up to this turn: its number, or the start of its id")
    .examples(
      "reprise session fork fix-42 fix-42-try",
      "reprise session fork fix-42 fix-42-other-way --at 3",
    )
    .action(invoke(() => import("./commands/session-fork.ts")));

  session
    .command("move")
    .description("Move a session to another folder, or to another home of its agent's program.")
    .argument("<key>", "key of the session")
    .option("--folder <dir>", "folder to work in from now on", nonEmpty("--folder"))
    .option(
      "--home <dir>",
      "home of the agent's program, such as a CODEX_HOME (put Reprise's own --home before the subcommand)",
      nonEmpty("--home"),
    )
    .examples(
      "reprise session move fix-42 --folder ~/src/parser-2",
      "reprise session move fix-42 --home ~/.codex-work",
      "reprise --home ./.reprise session move fix-42 --home ~/.codex-work",
    )
    .action(invoke(() => import("./commands/session-move.ts")));

  session
    .command("export")
    .description("Write a session to a bundle that another home can import.")
    .argument("<key>", "key of the session")
    .requiredOption("--output <file>", "file to write; it must not exist yet", nonEmpty("--output"))
    .option(
      "--transcript-only",
      "leave out the provider's files; the first turn after the import reseeds",
    )
    .examples(
      "reprise session export fix-42 --output fix-42.bundle",
      "reprise session export fix-42 --output fix-42.bundle --transcript-only",
    )
    .action(invoke(() => import("./commands/session-export.ts")));

  session
    .command("import")
    .description("Import a bundle, or a conversation that you began in the agent's own program.")
    .argument("[file]", "bundle that session export wrote")
    .option("--key <key>", "key of the session (default: the bundle's)", nonEmpty("--key"))
    .option(
      "--agent <name>",
      "agent to continue with (default: the bundle's, or the only one of the provider)",
      nonEmpty("--agent"),
    )
    .option(
      "--folder <dir>",
      "folder to work in (default: the agent's, else the current one)",
      nonEmpty("--folder"),
    )
    .option("--provider <name>", "provider of the conversation to import; needs --id")
    .option("--id <id>", "the provider's own id of that conversation")
    .option("--pick", "list the conversations in this folder, the last used first, and ask which")
    .examples(
      "reprise session import --pick",
      "reprise session import fix-42.bundle --folder ~/src/parser",
      "reprise session import fix-42.bundle --key fix-42-here --agent coder",
      "reprise session import --provider codex --id 01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b --key fix-42 --agent coder",
    )
    .action(invoke(() => import("./commands/session-import.ts")));

  session
    .command("open")
    .description("Open a session in its agent's own program, and import what you type there.")
    .argument("<key>", "key of the session")
    .examples("reprise session open fix-42")
    .action(invoke(() => import("./commands/session-open.ts")));
}
