/** The options for what an agent may do, the same for agents, classes, turns and runs. */

import { accessLevels, onDeniedChoices } from "@reprise/core/session/access";
import { Option } from "commander";
import type { RepriseCommand } from "../help.ts";
import { collect } from "./collection.ts";

export interface AccessOptions {
  readonly access?: (typeof accessLevels)[number];
  readonly allowCommand?: readonly string[];
  readonly onDenied?: (typeof onDeniedChoices)[number];
}

export function accessOption(about: string): Option {
  return new Option("--access <level>", about).choices(accessLevels);
}

/** `--access` with `about`, the commands that `edit` may run, and what a denied tool leads to. */
export function accessOptions(command: RepriseCommand, about: string): RepriseCommand {
  return command
    .addOption(accessOption(about))
    .option(
      "--allow-command <command>",
      "a command that it may run with access edit where its provider has no sandbox; may be given again",
      collect,
    )
    .addOption(
      new Option(
        "--on-denied <what>",
        "when it is not let do something: note (default), fail, or ask a person",
      ).choices(onDeniedChoices),
    );
}

/** What was given, in the words of the API; what was not stays out. */
export function accessRequest({ access, allowCommand, onDenied }: AccessOptions) {
  return {
    ...(access && { access }),
    ...(allowCommand && { allowedCommands: [...allowCommand] }),
    ...(onDenied && { onDenied }),
  };
}
