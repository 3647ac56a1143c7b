/** The definitions of `reprise provider …`. */

import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";

export function defineProviderCommands(program: RepriseCommand, invoke: Invoke): void {
  const provider = program
    .command("provider")
    .description(
      "Work with providers, the kinds of agents that Reprise can drive: list, show, matrix.",
    )
    .helpCommand(false);

  provider
    .command("list")
    .description("List the providers: those of Reprise, and those that your settings load.")
    .examples("reprise provider list", "reprise provider list --json")
    .action(invoke(() => import("./commands/provider-list.ts")));

  provider
    .command("show")
    .description("Show one provider: its abilities, its settings and how it enforces access.")
    .argument("<provider>", "its name")
    .examples("reprise provider show claude", "reprise provider show codex --json")
    .action(invoke(() => import("./commands/provider-show.ts")));

  provider
    .command("matrix")
    .description("Print what each provider can do, as Markdown.")
    .examples("reprise provider matrix")
    .action(invoke(() => import("./commands/provider-matrix.ts")));
}
