/** The definitions of `reprise config …`. */

import { Option } from "commander";
import type { RepriseCommand } from "./help.ts";
import type { Invoke } from "./invocation.ts";

export function defineConfigCommands(program: RepriseCommand, invoke: Invoke): void {
  const config = program.command("config").description("Settings.").helpCommand(false);

  config
    .command("show")
    .description("Show every setting, its value, and where the value comes from.")
    .examples("reprise config show", "reprise config show --json")
    .action(invoke(() => import("./commands/config-show.ts")));

  scopeOptions(
    config
      .command("set")
      .description("Set a setting in a settings file; its comments and its order stay.")
      .argument("<setting>", "its name, as config show prints it")
      .argument("<value>", "its value"),
  )
    .examples(
      "reprise config set onResumeFailure fail",
      "reprise config set budget.maxAge 30d --project",
    )
    .action(invoke(() => import("./commands/config-set.ts")));

  scopeOptions(
    config
      .command("unset")
      .description("Take a setting out of a settings file.")
      .argument("<setting>", "its name"),
  )
    .examples("reprise config unset budget.maxAge", "reprise config unset turnTimeout --project")
    .action(invoke(() => import("./commands/config-unset.ts")));

  scopeOptions(config.command("path").description("Show which files settings are read from."))
    .examples("reprise config path", '$EDITOR "$(reprise config path --user)"')
    .action(invoke(() => import("./commands/config-path.ts")));
}

function scopeOptions(command: RepriseCommand): RepriseCommand {
  return command
    .addOption(new Option("--user", "the user's own file (default)").conflicts("project"))
    .option("--project", "the file of the project: .reprise/config.yaml in the current folder");
}
