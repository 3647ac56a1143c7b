/** The definitions of `reprise agent …`. */

import { Option } from "commander";
import type { RepriseCommand } from "./help.ts";
import { assign } from "./input/assignment.ts";
import type { Invoke } from "./invocation.ts";

export function defineAgentCommands(program: RepriseCommand, invoke: Invoke): void {
  const agent = program
    .command("agent")
    .description(
      "Agents: named identities, each driven by a provider, and classes they are made from.",
    )
    .helpCommand(false);

  agent
    .command("create")
    .description("Create an agent, or a class: a definition that agents and workflows begin with.")
    .argument("<name>", "its name")
    .option(
      "--provider <name>",
      "what drives it: claude, codex or scripted; else its class says it",
    )
    .option(
      "--class [class]",
      "class that it is made from; without one, what is created is a class",
    )
    .addOption(
      new Option("--kind <kind>", "interactive (default) or background").choices([
        "interactive",
        "background",
      ]),
    )
    .option("--model <name>", "model that it uses unless a turn names another")
    .option("--folder <dir>", "folder that it works in unless a turn names another")
    .addOption(
      new Option(
        "--sessions <setting>",
        "what its starts do: default (as the setting says), resume or fresh",
      ).choices(["default", "resume", "fresh"]),
    )
    .option("--set <key=value>", "setting of its provider; may be given again", assign)
    .examples(
      "reprise agent create coder --provider codex",
      "reprise agent create coder --provider codex --model gpt-5 --folder ~/src/parser",
      "reprise agent create reviewer --class --provider codex --set instructions='Find faults.'",
      "reprise agent create anna --class reviewer",
      "reprise agent create echo --provider scripted",
    )
    .action(invoke(() => import("./commands/agent-create.ts")));

  agent
    .command("list")
    .description("List all agents.")
    .option("--class", "list the classes instead")
    .examples("reprise agent list", "reprise agent list --class", "reprise agent list --json")
    .action(invoke(() => import("./commands/agent-list.ts")));

  agent
    .command("show")
    .description("Show one agent.")
    .argument("<name>", "its name")
    .option("--class", "show the class of that name instead")
    .examples("reprise agent show coder", "reprise agent show reviewer --class")
    .action(invoke(() => import("./commands/agent-show.ts")));
}
