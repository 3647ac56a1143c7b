/** The definitions of `reprise session …`, of `reprise send` and of `reprise explain`. */

import { surfaces } from "@reprise/core/session/policy";
import { busyPolicies, turnStatuses } from "@reprise/core/session/turn";
import { Option } from "commander";
import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";
import { duration } from "./input/duration.ts";
import { accessOptions, freshOptions, nonEmpty } from "./input/turn.ts";
import { wholeNumber } from "./input/whole-number.ts";
import { defineKeepingCommands } from "./keeping-commands.ts";
import { definePortableCommands } from "./portable-commands.ts";
import { defineRestore } from "./protect-commands.ts";

export function defineSend(parent: RepriseCommand, invoke: Invoke): RepriseCommand {
  return accessOptions(
    continuityOptions(
      parent
        .command("send")
        .description("Send a prompt to a session and print the answer.")
        .argument("<key>", "key of the session; a new key starts a new session")
        .argument("[prompt]", "the prompt; - reads it from standard input"),
    ),
    "what the agent may do in this turn: read, edit or full",
  )
    .option("--file <path>", "read the prompt from a file", nonEmpty("--file"))
    .addOption(busyOption())
    .option("--timeout <time>", "end the turn after this time, as in 90s or 10m", duration)
    .option("--instructions <text>", "additional instructions for this turn")
    .option("--channel <name>", "channel that the session belongs to")
    .action(invoke(() => import("./turn-run.ts")));
}

/** The same examples for the long and the short form. */
export function sendExamples(command: string): string[] {
  return [
    `${command} fix-42 "Find the bug in the parser." --agent coder`,
    `${command} fix-42 "Now fix it." --timeout 10m`,
    `git diff | ${command} review - --agent reviewer`,
    `${command} fix-42 --file next.md --json`,
    `${command} fix-42 "Look at it with fresh eyes." --reseed`,
    `${command} fix-42 "What would you change?" --access read`,
    `${command} fix-42 "Try again." --now`,
  ];
}

export function defineExplain(parent: RepriseCommand, invoke: Invoke): RepriseCommand {
  return continuityOptions(
    parent
      .command("explain")
      .description("Show what the next turn of a session would decide, and why. Changes nothing.")
      .argument("<key>", "key of the session"),
  ).action(invoke(() => import("./commands/session-explain.ts")));
}

export function explainExamples(command: string): string[] {
  return [`${command} fix-42`, `${command} fix-42 --agent reviewer --folder ../other`];
}

export function defineSessionCommands(program: RepriseCommand, invoke: Invoke): void {
  const session = program
    .command("session")
    .alias("sessions")
    .description("Work with sessions: list, show, fork, move, archive, export and more.")
    .helpCommand(false);

  session
    .command("list")
    .alias("ls")
    .description("List sessions, the last used first.")
    .argument("[text]", "only sessions whose key or agent contains this text")
    .option("--agent <name>", "only sessions of this agent", nonEmpty("--agent"))
    .addOption(
      new Option(
        "--status <status>",
        `only sessions whose last turn is ${turnStatuses.join(", ")}; or archived`,
      ).choices([...turnStatuses, "archived"]),
    )
    .option(
      "--folder <dir>",
      "only sessions that work in this folder or below it",
      nonEmpty("--folder"),
    )
    .option("--since <time>", "only sessions used within this time, as in 24h or 7d", duration)
    .option("--all", "include the sessions that workflow runs created (keys that begin with wf:)")
    .option("--limit <count>", "maximum to list (default: 100)", wholeNumber)
    .option("--after <key>", "start after this key of the list", nonEmpty("--after"))
    .examples(
      "reprise session list",
      "reprise session list --agent coder --since 7d",
      "reprise session list --status running",
      "reprise session list parser --folder .",
    )
    .action(invoke(() => import("./commands/session-list.ts")));

  session
    .command("show")
    .description("Show a session and its latest turns.")
    .argument("<key>", "key of the session")
    .option("--limit <count>", "maximum number of turns (default: 20)", wholeNumber)
    .examples("reprise session show fix-42", "reprise session show fix-42 --limit 100")
    .action(invoke(() => import("./commands/session-show.ts")));

  defineSend(session, invoke)
    .shortForm("reprise send")
    .examples(...sendExamples("reprise session send"));

  session
    .command("finish")
    .description("Continue a turn that was cut off, without a new prompt.")
    .argument("<key>", "key of the session")
    .addOption(busyOption())
    .option("--timeout <time>", "end the turn after this time, as in 90s or 10m", duration)
    .examples("reprise session finish fix-42", "reprise session finish fix-42 --timeout 30m")
    .action(invoke(() => import("./commands/session-finish.ts")));

  defineExplain(session, invoke)
    .shortForm("reprise explain")
    .examples(...explainExamples("reprise session explain"));

  session
    .command("verify")
    .description(
      "Compare the provider's history, the checkpoints and the transcript. Changes nothing.",
    )
    .argument("[key]", "key of the session (default: all sessions)")
    .examples("reprise session verify", "reprise session verify fix-42 --json")
    .action(invoke(() => import("./commands/session-verify.ts")));

  definePortableCommands(session, invoke);
  defineKeepingCommands(session, invoke);
  defineRestore(session, invoke);

  session
    .command("purge")
    .alias("rm")
    .description("Delete a session with its transcript and checkpoints.")
    .argument("<key>", "key of the session")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--force", "delete it even if it is held")
    .examples("reprise session purge fix-42", "reprise session rm fix-42 --yes")
    .action(invoke(() => import("./commands/session-purge.ts")));
}

function busyOption(): Option {
  return new Option(
    "--busy <policy>",
    "if the session is in use: wait (default), queue, skip or fail",
  ).choices(busyPolicies);
}

/** The options that a turn and its explanation share, because the decision depends on them. */
function continuityOptions(command: RepriseCommand): RepriseCommand {
  const named = command.option(
    "--agent <name>",
    'agent to send to (default: the session\'s own; for a new key the one of "reprise agent use")',
    nonEmpty("--agent"),
  );
  return freshOptions(named, {
    reseed: "start a new provider session from our transcript",
    blank: "start a new provider session without the transcript",
  })
    .option(
      "--folder <dir>",
      "folder to work in (default: the session's folder)",
      nonEmpty("--folder"),
    )
    .option("--model <name>", "model to use")
    .option("--now", "try even if the limit of the agent's account is used up")
    .addOption(new Option("--surface <name>", "surface to act as").choices(surfaces).hideHelp());
}
