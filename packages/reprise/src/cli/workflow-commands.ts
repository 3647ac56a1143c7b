/** The definitions of `reprise workflow …`: what can be done with a workflow file without running it. */

import { graphFormats } from "@reprise/core/workflow/graph-format";
import { Option } from "commander";
import type { RepriseCommand } from "./help.ts";
import type { Invoke } from "./invocation.ts";

export function defineWorkflowCommands(program: RepriseCommand, invoke: Invoke): void {
  const workflow = program
    .command("workflow")
    .description("Workflow files: check, format, draw and bring them up to date.")
    .helpCommand(false);

  workflow
    .command("validate")
    .description(
      "Say what is wrong with workflow files, and what will surprise, with line and column.",
    )
    .argument("<file...>", "workflows, YAML or JSON; - reads standard input")
    .option("--strict", "take every warning for an error")
    .examples(
      "reprise workflow validate review.yaml",
      "reprise workflow validate workflows/*.yaml --strict",
      "reprise workflow validate - --json < review.yaml",
    )
    .action(invoke(() => import("./commands/workflow-validate.ts")));

  workflow
    .command("graph")
    .description("Draw a workflow: as text, or for Mermaid or Graphviz.")
    .argument("<file>", "the workflow; - reads standard input")
    .addOption(
      new Option("--format <format>", "text (default), mermaid or dot").choices(graphFormats),
    )
    .examples(
      "reprise workflow graph review.yaml",
      "reprise workflow graph review.yaml --format mermaid",
      "reprise workflow graph review.yaml --format dot | dot -Tsvg > review.svg",
    )
    .action(invoke(() => import("./commands/workflow-graph.ts")));

  workflow
    .command("fmt")
    .description("Put workflow files into their usual layout; comments and anchors stay.")
    .argument("<file...>", "workflows to change; - goes from standard input to standard output")
    .addOption(
      new Option("--check", "change nothing; exit 1 when a file is laid out otherwise").conflicts(
        "stdout",
      ),
    )
    .option("--stdout", "print the result, and change no file")
    .examples(
      "reprise workflow fmt review.yaml",
      "reprise workflow fmt workflows/*.yaml --check",
      "reprise workflow fmt - < review.yaml",
    )
    .action(invoke(() => import("./commands/workflow-fmt.ts")));

  workflow
    .command("migrate")
    .description("Write out what a workflow file leaves open, and replace its older words.")
    .argument("<file>", "the workflow to change; - goes from standard input to standard output")
    .option("--dry-run", "only show what would change")
    .examples(
      "reprise workflow migrate review.yaml --dry-run",
      "reprise workflow migrate review.yaml",
    )
    .action(invoke(() => import("./commands/workflow-migrate.ts")));

  workflow
    .command("schema")
    .description("Print the JSON Schema of workflow files, for editors.")
    .examples("reprise workflow schema > workflow.schema.json")
    .action(invoke(() => import("./commands/workflow-schema.ts")));
}
