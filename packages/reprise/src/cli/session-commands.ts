/** The definitions of `reprise sessions …`. */

import { surfaces } from "@reprise/core/session/policy";
import { busyPolicies } from "@reprise/core/session/turn";
import { Option } from "commander";
import { freshOptions } from "./fresh-options.ts";
import type { RepriseCommand } from "./help.ts";
import { accessOptions } from "./input/access.ts";
import { duration } from "./input/duration.ts";
import { wholeNumber } from "./input/whole-number.ts";
import type { Invoke } from "./invocation.ts";
import { defineKeepingCommands } from "./keeping-commands.ts";
import { definePortableCommands } from "./portable-commands.ts";

export function defineSessionCommands(program: RepriseCommand, invoke: Invoke): void {
  const sessions = program
    .command("sessions")
    .description("Sessions: the continuing memory of an agent, each under its key.")
    .helpCommand(false);

  accessOptions(
    continuityOptions(
      sessions
        .command("send")
        .description("Continue a session with a prompt, and print the answer.")
        .argument("<key>", "the session's key; a new one starts a session")
        .argument("[prompt]", "what to say; - reads it from standard input"),
    ),
    "what the agent may do in this turn alone: read, edit or full",
  )
    .option("--file <path>", "read the prompt from a file")
    .addOption(
      new Option(
        "--busy <policy>",
        "when the session is in use: wait (default), queue, skip or fail",
      ).choices(busyPolicies),
    )
    .option("--timeout <time>", "end the turn after this time, as in 90s or 10m", duration)
    .option("--instructions <text>", "further instructions for this turn alone")
    .option("--channel <name>", "channel that the session belongs to")
    .examples(
      'reprise sessions send fix-42 "Find the bug in the parser." --agent coder',
      'reprise sessions send fix-42 "Now mend it." --timeout 10m',
      "git diff | reprise sessions send review - --agent reviewer",
      "reprise sessions send fix-42 --file next.md --json",
      'reprise sessions send fix-42 "Look at it with fresh eyes." --reseed',
      'reprise sessions send fix-42 "What would you change?" --access read',
    )
    .action(invoke(() => import("./commands/sessions-send.ts")));

  sessions
    .command("finish")
    .description("Continue a turn that was cut off, without a new prompt.")
    .argument("<key>", "the session's key")
    .addOption(
      new Option(
        "--busy <policy>",
        "when the session is in use: wait (default), queue, skip or fail",
      ).choices(busyPolicies),
    )
    .option("--timeout <time>", "end the turn after this time, as in 90s or 10m", duration)
    .examples("reprise sessions finish fix-42", "reprise sessions finish fix-42 --timeout 30m")
    .action(invoke(() => import("./commands/sessions-finish.ts")));

  sessions
    .command("list")
    .description("List sessions.")
    .option("--agent <name>", "only those of this agent")
    .option("--limit <count>", "at most so many", wholeNumber)
    .option("--after <key>", "only those behind this key in the order of the list")
    .examples("reprise sessions list", "reprise sessions list --agent coder --limit 20")
    .action(invoke(() => import("./commands/sessions-list.ts")));

  sessions
    .command("show")
    .description("Show a session and its newest turns.")
    .argument("<key>", "the session's key")
    .option("--limit <count>", "at most so many turns (default: 20)", wholeNumber)
    .examples("reprise sessions show fix-42", "reprise sessions show fix-42 --limit 100")
    .action(invoke(() => import("./commands/sessions-show.ts")));

  continuityOptions(
    sessions
      .command("explain")
      .description("Show what a turn would decide now, and why. Changes nothing.")
      .argument("<key>", "the session's key"),
  )
    .examples(
      "reprise sessions explain fix-42",
      "reprise sessions explain fix-42 --agent reviewer --folder ../other",
    )
    .action(invoke(() => import("./commands/sessions-explain.ts")));

  sessions
    .command("verify")
    .description(
      "Compare the provider's history, the checkpoints and the transcript, and say what was found. Changes nothing.",
    )
    .argument("[key]", "the session's key; without it all sessions")
    .examples("reprise sessions verify", "reprise sessions verify fix-42 --json")
    .action(invoke(() => import("./commands/sessions-verify.ts")));

  sessions
    .command("purge")
    .alias("rm")
    .description("Remove everything under a key, checkpoints included.")
    .argument("<key>", "the session's key")
    .option("-y, --yes", "do not ask")
    .option("--force", "also when somebody holds it")
    .examples("reprise sessions purge fix-42", "reprise sessions rm fix-42 --yes")
    .action(invoke(() => import("./commands/sessions-purge.ts")));

  defineKeepingCommands(sessions, invoke);
  definePortableCommands(sessions, invoke);
}

/** What both a turn and its explanation take, because the decision depends on it. */
function continuityOptions(command: RepriseCommand): RepriseCommand {
  const named = command.option(
    "--agent <name>",
    "the agent; needed for a new key, else that of the last turn",
  );
  return freshOptions(named, {
    reseed: "new provider session from our transcript",
    blank: "new provider session without the transcript",
  })
    .option("--folder <dir>", "folder to work in; without it the session stays in its folder")
    .option("--model <name>", "model to use")
    .addOption(new Option("--surface <name>", "surface to act as").choices(surfaces).hideHelp());
}
