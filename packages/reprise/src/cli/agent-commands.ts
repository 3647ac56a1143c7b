/** The definitions of `reprise agent …`. */

import { Option } from "commander";
import type { RepriseCommand } from "./help.ts";
import { accessOptions } from "./input/access.ts";
import { assign } from "./input/assignment.ts";
import { collect } from "./input/collection.ts";
import type { Invoke } from "./invocation.ts";

export function defineAgentCommands(program: RepriseCommand, invoke: Invoke): void {
  const agent = program
    .command("agent")
    .description(
      "Agents: named identities, each driven by a provider, and classes they are made from.",
    )
    .helpCommand(false);

  accessOptions(
    agent
      .command("create")
      .description(
        "Create an agent, or a class: a definition that agents and workflows begin with.",
      )
      .argument("<name>", "its name"),
    "what it may do: read, edit (default: files in its work folder) or full",
  )
    .option(
      "--provider <name>",
      "what drives it: claude, codex or scripted; else its class says it",
    )
    .option(
      "--class [class]",
      "class that it is made from; without one, what is created is a class",
    )
    .addOption(kindOption("interactive (default)"))
    .option("--model <name>", modelText)
    .option("--folder <dir>", folderText)
    .addOption(sessionsOption())
    .option("--set <key=value>", settingText, assign)
    .examples(
      "reprise agent create coder --provider codex",
      "reprise agent create coder --provider codex --model gpt-5 --folder ~/src/parser",
      "reprise agent create reviewer --class --provider codex --set instructions='Find faults.'",
      "reprise agent create anna --class reviewer",
      "reprise agent create echo --provider scripted",
      "reprise agent create reviewer --provider claude --access read",
      'reprise agent create coder --provider claude --allow-command "npm test"',
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

  accessOptions(
    agent
      .command("set")
      .description(
        [
          "Change an agent, or a class: what is not named stays.",
          "A change of an agent holds from the next turn of each of its sessions.",
          "A change of a class holds for agents that are created and for nodes that start from then on; agents that were made from it stay as they are.",
        ].join(" "),
      )
      .argument("<name>", "its name"),
    "what it may do: read, edit or full",
  )
    .option("--class", "change the class of that name instead")
    .addOption(kindOption("interactive"))
    .option("--model <name>", modelText)
    .option("--folder <dir>", folderText)
    .addOption(sessionsOption())
    .option("--set <key=value>", settingText, assign)
    .option(
      "--unset <name>",
      "take a setting away, or its model, folder or allowedCommands; may be given again",
      collect,
    )
    .examples(
      "reprise agent set coder --model gpt-5",
      "reprise agent set coder --access edit",
      "reprise agent set coder --folder ~/src/lexer --set sandbox=workspace-write",
      "reprise agent set coder --unset model --unset instructions",
      "reprise agent set reviewer --class --set instructions='Find faults, and name their lines.'",
    )
    .action(invoke(() => import("./commands/agent-set.ts")));
}

const modelText = "model that it uses unless a turn names another";
const folderText = "folder that it works in unless a turn names another";
const settingText = "a setting of its provider, or instructions; may be given again";

function kindOption(first: string): Option {
  const about = `${first}, or background: nodes, schedules and starts go on with its session`;
  return new Option("--kind <kind>", about).choices(["interactive", "background"]);
}

function sessionsOption(): Option {
  const about =
    "how it starts: resume, fresh, or default (as the setting regularAgentSessions says)";
  return new Option("--sessions <setting>", about).choices(["default", "resume", "fresh"]);
}
