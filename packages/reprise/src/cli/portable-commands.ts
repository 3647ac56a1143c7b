/** The definitions of the `reprise sessions …` that copy a session, move it, take it elsewhere or open it. */

import type { RepriseCommand } from "./help.ts";
import type { Invoke } from "./invocation.ts";

export function definePortableCommands(sessions: RepriseCommand, invoke: Invoke): void {
  sessions
    .command("fork")
    .description("Give a new key the past of a session, which goes on as it is.")
    .argument("<key>", "the session's key")
    .argument("<newkey>", "the key of the fork")
    .option("--at <turn>", "up to this turn: its number, or the beginning of its id")
    .examples(
      "reprise sessions fork fix-42 fix-42-try",
      "reprise sessions fork fix-42 fix-42-other-way --at 3",
    )
    .action(invoke(() => import("./commands/sessions-fork.ts")));

  sessions
    .command("move")
    .description("Let a session go on in another folder or another home of its agent, and resume.")
    .argument("<key>", "the session's key")
    .option("--folder <dir>", "folder to work in from now on")
    .option(
      "--home <dir>",
      "home of the agent's program to live in, such as a CODEX_HOME (Reprise's own stands before the command)",
    )
    .examples(
      "reprise sessions move fix-42 --folder ~/src/parser-2",
      "reprise sessions move fix-42 --home ~/.codex-work",
      "reprise --home ./.reprise sessions move fix-42 --home ~/.codex-work",
    )
    .action(invoke(() => import("./commands/sessions-move.ts")));

  sessions
    .command("export")
    .description("Write a session into a bundle for another home. It is the whole conversation.")
    .argument("<key>", "the session's key")
    .requiredOption("--output <file>", "file to write; it must not exist")
    .option("--transcript-only", "without the provider's files: the first turn there reseeds")
    .examples(
      "reprise sessions export fix-42 --output fix-42.bundle",
      "reprise sessions export fix-42 --output fix-42.bundle --transcript-only",
    )
    .action(invoke(() => import("./commands/sessions-export.ts")));

  sessions
    .command("import")
    .description("Bring in a bundle, or a conversation that was begun in the agent's own program.")
    .argument("[file]", "a bundle that sessions export wrote")
    .option("--key <key>", "key of the session; by default that of the bundle")
    .option("--agent <name>", "agent that goes on with it; by default the bundle's")
    .option("--folder <dir>", "folder to work in; by default the agent's, else this one")
    .option("--provider <name>", "with --id: provider of the conversation to take over")
    .option("--id <id>", "the provider's own id of that conversation")
    .examples(
      "reprise sessions import fix-42.bundle --folder ~/src/parser",
      "reprise sessions import fix-42.bundle --key fix-42-here --agent coder",
      "reprise sessions import --provider codex --id 01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b --key fix-42 --agent coder",
    )
    .action(invoke(() => import("./commands/sessions-import.ts")));

  sessions
    .command("open")
    .description("Open a session in its agent's own program, and import what is typed there.")
    .argument("<key>", "the session's key")
    .examples("reprise sessions open fix-42")
    .action(invoke(() => import("./commands/sessions-open.ts")));
}
