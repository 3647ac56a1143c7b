/** The definitions of `reprise config …`. */

import { Option } from "commander";
import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";

export function defineConfigCommands(program: RepriseCommand, invoke: Invoke): void {
  const config = program
    .command("config")
    .description("Work with settings: show, set, unset, path.")
    .helpCommand(false);

  config
    .command("show")
    .description("List settings with their values and where each value comes from.")
    .examples("reprise config show", "reprise config show --json")
    .action(invoke(() => import("./commands/config-show.ts")));

  scopeOptions(
    config
      .command("set")
      .description("Set a value in a settings file. Its comments and order stay.")
      .argument("<setting>", "name of the setting, as config show prints it")
      .argument("<value>", "value to set"),
  )
    .examples(
      "reprise config set onResumeFailure fail",
      "reprise config set budget.maxAge 30d --project",
    )
    .action(invoke(() => import("./commands/config-set.ts")));

  scopeOptions(
    config
      .command("unset")
      .description("Remove a setting from a settings file.")
      .argument("<setting>", "name of the setting"),
  )
    .examples("reprise config unset budget.maxAge", "reprise config unset turnTimeout --project")
    .action(invoke(() => import("./commands/config-unset.ts")));

  scopeOptions(config.command("path").description("Print the paths of the settings files."))
    .examples("reprise config path", '$EDITOR "$(reprise config path --user)"')
    .action(invoke(() => import("./commands/config-path.ts")));
}

function scopeOptions(command: RepriseCommand): RepriseCommand {
  return command
    .addOption(new Option("--user", "your own settings file (default)").conflicts("project"))
    .option("--project", "the project's settings file, .reprise/config.yaml in the current folder");
}
