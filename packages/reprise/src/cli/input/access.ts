/** The options that set what an agent may do, for agents, classes, turns and runs. */

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

/** `--access` described by `about`, `--allow-command` and `--on-denied`. */
export function accessOptions(command: RepriseCommand, about: string): RepriseCommand {
  return command
    .addOption(accessOption(about))
    .option(
      "--allow-command <command>",
      "command that it may run with access edit if its provider has no sandbox; can be repeated",
      collect,
    )
    .addOption(
      new Option(
        "--on-denied <what>",
        "if a tool is denied: note (default), fail, or ask a person",
      ).choices(onDeniedChoices),
    );
}

/** The given options under their names in the API. */
export function accessRequest({ access, allowCommand, onDenied }: AccessOptions) {
  return {
    ...(access && { access }),
    ...(allowCommand && { allowedCommands: [...allowCommand] }),
    ...(onDenied && { onDenied }),
  };
}
