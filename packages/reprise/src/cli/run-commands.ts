/** The definitions of the commands about workflow runs, and about what waits for a person. */

import { runStatuses } from "@reprise/core/api/run-schemas";
import { Option } from "commander";
import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";
import { accessOption, answering, freshOptions, giving, nonEmpty, valuing } from "./input/turn.ts";
import { wholeNumber } from "./input/whole-number.ts";

const passphraseHelp =
  "read the gate's passphrase from standard input (default: ask on the terminal)";
const jsonlHelp = "print each event as a line of JSON, and the run as the last line";

export function defineRunCommands(program: RepriseCommand, invoke: Invoke): void {
  const run = program
    .command("run")
    .description("Run a workflow until it finishes or needs human input.")
    .argument("<file>", "the workflow, YAML or JSON; - reads it from standard input");
  freshOptions(run, {
    reseed:
      "start new provider sessions, from our transcripts, for all that the run would continue",
    blank: "start new provider sessions without the transcripts",
  })
    .option("--input <name=value>", "an input of the workflow; can be repeated", giving)
    .option("--id <id>", "id of the run (default: generated)", nonEmpty("--id"))
    .option(
      "--folder <dir>",
      "folder that its nodes work in (default: the file's setting, else the current one)",
      nonEmpty("--folder"),
    )
    .option("--by <name>", "name of the starter (default: you)", nonEmpty("--by"))
    .addOption(
      accessOption(
        "the most that its agents may do: read, edit or full (default: the setting maxAccess)",
      ),
    )
    .option(
      "--dry-run",
      "check all, show what would run and how each session would begin; start nothing",
    )
    .addOption(jsonlOption(jsonlHelp))
    .addOption(
      new Option(
        "--detach",
        "let the server run it, starting one if needed, and print the run's id",
      ).conflicts(["dryRun", "jsonl"]),
    )
    .examples(
      'reprise run review.yaml --input task="Fix the parser."',
      "reprise run review.yaml --detach",
      "reprise run review.yaml --reseed",
      "reprise run review.yaml --id fix-42 --folder ~/src/parser",
      "reprise run review.yaml --access full",
      "reprise run review.yaml --dry-run",
      "reprise run review.yaml --jsonl",
    )
    .action(invoke(() => import("./commands/run.ts")));

  program
    .command("inbox")
    .description("List what waits for a person, or show one item.")
    .argument("[item]", "id of an item, or the start of it")
    .option("--run <run>", "only items of this run", nonEmpty("--run"))
    .option("--all", "include settled items, newest first")
    .option("--limit <count>", "maximum to list (default: 100)", wholeNumber)
    .option("--after <item>", "start after this item of the list", nonEmpty("--after"))
    .examples("reprise inbox", "reprise inbox k3v9m2xq", "reprise inbox --all --json")
    .action(invoke(() => import("./commands/inbox.ts")));

  decision(program.command("approve"))
    .description("Approve a gate, or allow what an agent asks to do, and continue the run or turn.")
    .option("--value <field=value>", "a field of a form; can be repeated", valuing)
    .examples("reprise approve k3v9m2xq", 'reprise approve k3v9m2xq --by ana --comment "Ship it."')
    .action(invoke(() => import("./commands/approve.ts")));

  decision(program.command("reject"))
    .description("Reject a gate, or deny what an agent asks to do, and continue the run or turn.")
    .examples('reprise reject k3v9m2xq --comment "Not before the audit."')
    .action(invoke(() => import("./commands/reject.ts")));

  answerOptions(
    program
      .command("answer")
      .description("Answer an agent's question, a gate or a form, and continue the run or turn.")
      .argument("<item|turn|key>", "what waits: its id, the start of it, or the session's key")
      .argument("[text]", "the answer to a single question, or the choice at a gate")
      .option(
        "--answer <question=answer>",
        "one of several answers, by the question's number or text; can be repeated",
        answering,
      )
      .option("--value <field=value>", "a field of a form; can be repeated", valuing)
      .option("--allow", "allow what the agent asks to do")
      .option("--deny [reason]", "deny it, or decline to answer"),
    "comment to record with the answer; the agent sees it too",
  )
    .examples(
      'reprise answer k3v9m2xq "SQLite"',
      'reprise answer fix-42 --answer 1=SQLite --answer "Which port?=5432"',
      "reprise answer fix-42 --allow",
      "reprise answer k3v9m2xq later --by ana",
      "reprise answer k3v9m2xq --value version=1.4.0 --value notify=true",
    )
    .action(invoke(() => import("./commands/answer.ts")));

  program
    .command("runs")
    .description("List workflow runs, newest first.")
    .addOption(
      new Option("--status <status>", `only runs that are ${runStatuses.join(", ")}`).choices(
        runStatuses,
      ),
    )
    .option("--workflow <name>", "only runs of this workflow", nonEmpty("--workflow"))
    .option("--limit <count>", "maximum to list (default: 50)", wholeNumber)
    .option("--after <run>", "start after this run of the list", nonEmpty("--after"))
    .examples("reprise runs", "reprise runs --status waiting", "reprise runs --json")
    .action(invoke(() => import("./commands/runs.ts")));

  program
    .command("show")
    .description("Show a run: its nodes, their states, sessions and outputs.")
    .argument("<run>", "id of the run, or the start of it")
    .option(
      "--output <name>",
      "print one output alone: of the run, or of a node as in coder.output",
      nonEmpty("--output"),
    )
    .examples(
      "reprise show fix-42",
      "reprise show fix-42 --output result",
      "reprise show fix-42 --json",
    )
    .action(invoke(() => import("./commands/show.ts")));

  program
    .command("logs")
    .description("Print the events of a run.")
    .argument("<run>", "id of the run, or the start of it")
    .option("-f, --follow", "keep printing until the run has ended")
    .addOption(jsonlOption("print each event as a line of JSON"))
    .examples("reprise logs fix-42", "reprise logs fix-42 -f", "reprise logs fix-42 --jsonl")
    .action(invoke(() => import("./commands/logs.ts")));

  program
    .command("cancel")
    .description("Cancel a run or a turn: end its processes, keep its sessions.")
    .argument("<run|turn|key>", "id of a run or turn, the start of one, or a session's key")
    .option("--by <name>", "name to record (default: you)", nonEmpty("--by"))
    .option(
      "--owner-gone",
      "confirm that the turn's process is gone, if it ran where Reprise cannot see it",
    )
    .examples("reprise cancel fix-42", "reprise cancel wf:fix-42:agent:coder")
    .action(invoke(() => import("./commands/cancel.ts")));

  program
    .command("rerun")
    .description("Continue a run from what failed or was left unfinished, in the same sessions.")
    .argument("<run>", "id of the run, or the start of it")
    .addOption(
      new Option("--from <node>", "rerun this node and what depends on it").conflicts("fromStart"),
    )
    .option("--from-start", "rerun everything, in new sessions")
    .option("--by <name>", "name to record (default: you)", nonEmpty("--by"))
    .addOption(jsonlOption(jsonlHelp))
    .examples(
      "reprise rerun fix-42",
      "reprise rerun fix-42 --from reviewer",
      "reprise rerun fix-42 --from-start",
    )
    .action(invoke(() => import("./commands/rerun.ts")));
}

function jsonlOption(about: string): Option {
  return new Option("--jsonl", about).conflicts("json");
}

function decision(command: RepriseCommand): RepriseCommand {
  return answerOptions(
    command.argument("<item>", "id of the item, or the start of it"),
    "comment to record with the decision",
  );
}

function answerOptions(command: RepriseCommand, comment: string): RepriseCommand {
  return command
    .option("--by <name>", "name to record (default: you)", nonEmpty("--by"))
    .option("--comment <text>", comment)
    .option("--passphrase-stdin", passphraseHelp)
    .option("--no-resume", "record the answer without continuing the run here")
    .addOption(
      new Option("--no-carry", "alias of --no-resume").implies({ resume: false }).hideHelp(),
    );
}
