/** The definitions of the commands about runs of workflows, and about what waits for a person. */

import { runStatuses } from "@reprise/core/api/run-schemas";
import { Option } from "commander";
import { freshOptions } from "./fresh-options.ts";
import type { RepriseCommand } from "./help.ts";
import { accessOption } from "./input/access.ts";
import { answering, giving, valuing } from "./input/assignment.ts";
import { wholeNumber } from "./input/whole-number.ts";
import type { Invoke } from "./invocation.ts";

const passphraseHelp =
  "read the passphrase that a gate asks for from standard input (default: asked on the terminal)";

export function defineRunCommands(program: RepriseCommand, invoke: Invoke): void {
  const run = program
    .command("run")
    .description("Run a workflow until it ends, or nothing but a person can move it.")
    .argument("<file>", "the workflow, YAML or JSON; - reads it from standard input");
  freshOptions(run, {
    reseed: "new provider sessions, from our transcripts, for all that the run would continue",
    blank: "new provider sessions without the transcripts",
  })
    .option("--input <name=value>", "an input of the workflow; may be given again", giving)
    .option("--id <id>", "id of the run, for session keys that are known beforehand")
    .option("--folder <dir>", "folder that its nodes work in (default: the file's, else this one)")
    .option("--by <name>", "who starts it")
    .addOption(
      accessOption(
        "the most that its agents may do: read, edit or full (default: the setting maxAccess)",
      ),
    )
    .option("--dry-run", "check the file and the inputs, show what would run, and change nothing")
    .option("--jsonl", "print every event as a line of JSON, and the run as the last one")
    .addOption(
      new Option(
        "--detach",
        "leave it to the server, which is started if none runs; print its id",
      ).conflicts(["dryRun", "jsonl"]),
    )
    .examples(
      'reprise run review.yaml --input task="Mend the parser."',
      "reprise run review.yaml --detach",
      "reprise run review.yaml --reseed",
      "reprise run review.yaml --id fix-42 --folder ~/src/parser",
      "reprise run review.yaml --access full",
      "reprise run review.yaml --dry-run",
      "reprise run review.yaml --jsonl",
    )
    .action(invoke(() => import("./commands/run.ts")));

  program
    .command("runs")
    .description("List runs, the newest first.")
    .addOption(
      new Option("--status <status>", `only those that are ${runStatuses.join(", ")}`).choices(
        runStatuses,
      ),
    )
    .option("--workflow <name>", "only those of this workflow")
    .option("--limit <count>", "at most so many (default: 50)", wholeNumber)
    .examples("reprise runs", "reprise runs --status waiting", "reprise runs --json")
    .action(invoke(() => import("./commands/runs.ts")));

  program
    .command("show")
    .description("Show a run: every node, its state, its session and what it gave.")
    .argument("<run>", "the run's id, or the beginning of it")
    .option("--output <name>", "print one output alone: of the run, or as in coder.output")
    .examples(
      "reprise show fix-42",
      "reprise show fix-42 --output result",
      "reprise show fix-42 --json",
    )
    .action(invoke(() => import("./commands/show.ts")));

  program
    .command("logs")
    .description("Print what happened in a run, a line for each event.")
    .argument("<run>", "the run's id, or the beginning of it")
    .option("-f, --follow", "go on until the run has ended")
    .option("--jsonl", "print every event as a line of JSON")
    .examples("reprise logs fix-42", "reprise logs fix-42 -f", "reprise logs fix-42 --jsonl")
    .action(invoke(() => import("./commands/logs.ts")));

  program
    .command("cancel")
    .description("Cancel a run or a turn: its processes are ended, its sessions stay.")
    .argument("<run|turn|key>", "a run's or turn's id, the beginning of one, or a session's key")
    .option("--by <name>", "who cancels it (default: you)")
    .option(
      "--owner-gone",
      "your word that the process of a turn is gone, on a machine or in a container that cannot be seen from here",
    )
    .examples("reprise cancel fix-42", "reprise cancel wf:fix-42:agent:coder")
    .action(invoke(() => import("./commands/cancel.ts")));

  program
    .command("rerun")
    .description(
      "Go on with a run: with what failed, or was left when its process ended. Its sessions go on.",
    )
    .argument("<run>", "the run's id, or the beginning of it")
    .addOption(
      new Option("--from <node>", "this node and what comes after it").conflicts("fromStart"),
    )
    .option("--from-start", "everything, with new sessions")
    .option("--by <name>", "who wants it")
    .option("--jsonl", "print every event as a line of JSON, and the run as the last one")
    .examples(
      "reprise rerun fix-42",
      "reprise rerun fix-42 --from reviewer",
      "reprise rerun fix-42 --from-start",
    )
    .action(invoke(() => import("./commands/rerun.ts")));

  program
    .command("inbox")
    .description(
      "List what waits for a person, or show one item and whether its sessions can be resumed.",
    )
    .argument("[item]", "an item's id, or the beginning of it")
    .option("--run <run>", "only those of this run")
    .option("--all", "also those that are settled, the newest first")
    .examples("reprise inbox", "reprise inbox k3v9m2xq", "reprise inbox --all --json")
    .action(invoke(() => import("./commands/inbox.ts")));

  decision(program.command("approve"))
    .description(
      "Approve a gate, or allow what an agent asks to do, and carry on what waited for it.",
    )
    .option("--value <field=value>", "a field of a form; may be given again", valuing)
    .examples("reprise approve k3v9m2xq", 'reprise approve k3v9m2xq --by ana --comment "Ship it."')
    .action(invoke(() => import("./commands/approve.ts")));

  decision(program.command("reject"))
    .description(
      "Reject a gate, or deny what an agent asks to do, and carry on what waited for it.",
    )
    .examples('reprise reject k3v9m2xq --comment "Not before the audit."')
    .action(invoke(() => import("./commands/reject.ts")));

  program
    .command("answer")
    .description("Answer what an agent asked, or a gate or form, and carry on what waited for it.")
    .argument("<item|turn|key>", "what waits: its id, the beginning of one, or its session's key")
    .argument("[text]", "the answer to a single question, or the choice at a gate")
    .option("--answer <question=answer>", "one of several answers; may be given again", answering)
    .option("--value <field=value>", "a field of a form; may be given again", valuing)
    .option("--allow", "allow what the agent asked to do")
    .option("--deny [reason]", "do not allow it, or do not answer, and say why")
    .option("--by <name>", "who answers (default: you)")
    .option("--comment <text>", "a word with the answer, which an agent is told too")
    .option("--passphrase-stdin", passphraseHelp)
    .option("--no-carry", "only answer; the run is carried on by somebody else")
    .examples(
      'reprise answer k3v9m2xq "SQLite"',
      'reprise answer fix-42 --answer "Which database?=SQLite" --answer "Which port?=5432"',
      "reprise answer fix-42 --allow",
      "reprise answer k3v9m2xq later --by ana",
      "reprise answer k3v9m2xq --value version=1.4.0 --value notify=true",
    )
    .action(invoke(() => import("./commands/answer.ts")));
}

function decision(command: RepriseCommand): RepriseCommand {
  return command
    .argument("<item>", "the item's id, or the beginning of it")
    .option("--by <name>", "who decides (default: you)")
    .option("--comment <text>", "a word with it")
    .option("--passphrase-stdin", passphraseHelp)
    .option("--no-carry", "only answer; the run is carried on by somebody else");
}
