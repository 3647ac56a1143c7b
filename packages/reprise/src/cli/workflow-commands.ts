/** The definitions of `reprise workflow …`: checking, drawing and formatting workflow files. */

import { graphFormats } from "@reprise/workflow/graph-format";
import { Option } from "commander";
import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";

export function defineWorkflowCommands(program: RepriseCommand, invoke: Invoke): void {
  const workflow = program
    .command("workflow")
    .alias("workflows")
    .description("Work with workflow files: validate, graph, fmt, migrate, schema.")
    .helpCommand(false);

  workflow
    .command("validate")
    .description("Check workflow files and report errors and warnings with line and column.")
    .argument("<file...>", "workflow files, YAML or JSON; - reads standard input")
    .option("--strict", "treat warnings as errors")
    .examples(
      "reprise workflow validate review.yaml",
      "reprise workflow validate workflows/*.yaml --strict",
      "reprise workflow validate - --json < review.yaml",
    )
    .action(invoke(() => import("./commands/workflow-validate.ts")));

  workflow
    .command("graph")
    .description("Draw a workflow as text, or for Mermaid or Graphviz.")
    .argument("<file>", "workflow file; - reads standard input")
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
    .description("Format workflow files. Comments and anchors stay.")
    .argument("<file...>", "workflow files to format; - reads standard input and prints the result")
    .addOption(
      new Option("--check", "change nothing; exit 1 if a file is not formatted").conflicts(
        "stdout",
      ),
    )
    .option("--stdout", "print the result instead of changing the file")
    .examples(
      "reprise workflow fmt review.yaml",
      "reprise workflow fmt workflows/*.yaml --check",
      "reprise workflow fmt - < review.yaml",
    )
    .action(invoke(() => import("./commands/workflow-fmt.ts")));

  workflow
    .command("migrate")
    .description("Update a workflow file: replace old names and write out implied settings.")
    .argument("<file>", "workflow file to update; - reads standard input and prints the result")
    .option("--dry-run", "show what would change; change nothing")
    .examples(
      "reprise workflow migrate review.yaml --dry-run",
      "reprise workflow migrate review.yaml",
    )
    .action(invoke(() => import("./commands/workflow-migrate.ts")));

  workflow
    .command("schema")
    .description("Print the JSON Schema of workflow files, for use in editors.")
    .examples("reprise workflow schema > workflow.schema.json")
    .action(invoke(() => import("./commands/workflow-schema.ts")));
}
