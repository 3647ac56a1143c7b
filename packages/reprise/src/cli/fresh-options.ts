/** The options by which a turn, or the turns of a run, get a new provider session. */

import { Option } from "commander";
import type { RepriseCommand } from "./help.ts";

export function freshOptions(
  command: RepriseCommand,
  about: { readonly reseed: string; readonly blank: string },
): RepriseCommand {
  return command
    .addOption(
      new Option("--reseed", `${about.reseed} (also --fresh, --fresh-session)`).conflicts("blank"),
    )
    .addOption(alias("--fresh"))
    .addOption(alias("--fresh-session"))
    .option("--blank", about.blank);
}

function alias(flag: string): Option {
  return new Option(flag, "alias of --reseed").implies({ reseed: true }).hideHelp();
}
