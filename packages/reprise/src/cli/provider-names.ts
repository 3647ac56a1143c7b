/** The names of providers in help texts, from the manifests of Reprise and of the user's settings. */

import type { Command } from "commander";

/** Adds the names to the description of every option `--provider`, after its first clause. */
export function nameProviders(program: Command, names: readonly string[]): void {
  for (const command of program.commands) {
    nameProviders(command, names);
    const option = command.options.find(({ long }) => long === "--provider");
    if (option)
      option.description = option.description.replace(/^[^;]*/, `$& (${names.join(", ")})`);
  }
}
