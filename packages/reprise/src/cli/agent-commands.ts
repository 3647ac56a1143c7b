/** The definitions of `reprise agent …`. */

import { Option } from "commander";
import type { Invoke } from "./cli.ts";
import type { RepriseCommand } from "./help.ts";
import { collect } from "./input/collection.ts";
import { accessOptions, assign, nonEmpty } from "./input/turn.ts";

export function defineAgentCommands(program: RepriseCommand, invoke: Invoke): void {
  const agent = program
    .command("agent")
    .alias("agents")
    .description("Work with agents: create, list, show, set, and choose the default.")
    .helpCommand(false);

  accessOptions(
    agent
      .command("create")
      .description("Create an agent, or a class that agents and workflow nodes can be made from.")
      .argument("<name>", "name of the agent or class"),
    "what it may do: read, edit (default: files in its work folder) or full",
  )
    .option(
      "--provider <name>",
      "provider that drives it; default: the provider of its class",
      nonEmpty("--provider"),
    )
    .option("--class [class]", "class to make it from; without a name, create a class")
    .addOption(kindOption("interactive (default)"))
    .option("--model <name>", modelText)
    .option("--folder <dir>", folderText, nonEmpty("--folder"))
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
    .command("use")
    .description("Choose the agent of new sessions in a folder and below it, or show which it is.")
    .argument("[name]", "name of the agent (default: show the current choice)")
    .option(
      "--folder <dir>",
      "folder to choose it for (default: the current folder)",
      nonEmpty("--folder"),
    )
    .addOption(new Option("--everywhere", "choose it for all other folders").conflicts("folder"))
    .option("--none", "remove the choice")
    .examples(
      "reprise agent use coder",
      "reprise agent use coder --everywhere",
      "reprise agent use reviewer --folder ~/src/parser",
      "reprise agent use",
      "reprise agent use --none",
    )
    .action(invoke(() => import("./commands/agent-use.ts")));

  agent
    .command("list")
    .alias("ls")
    .description("List agents.")
    .option("--class", "list classes instead")
    .examples("reprise agent list", "reprise agent list --class", "reprise agent list --json")
    .action(invoke(() => import("./commands/agent-list.ts")));

  agent
    .command("show")
    .description("Show an agent and its settings.")
    .argument("<name>", "name of the agent")
    .option("--class", "show the class of this name instead")
    .examples("reprise agent show coder", "reprise agent show reviewer --class")
    .action(invoke(() => import("./commands/agent-show.ts")));

  accessOptions(
    agent
      .command("set")
      .description(
        [
          "Change an agent or a class. What you do not name stays.",
          "A change to an agent applies from the next turn of each of its sessions.",
          "A change to a class applies to agents and nodes that are created later.",
        ].join(" "),
      )
      .argument("<name>", "name of the agent or class"),
    "what it may do: read, edit or full",
  )
    .option("--class", "change the class of this name instead")
    .addOption(kindOption("interactive"))
    .option("--model <name>", modelText)
    .option("--folder <dir>", folderText, nonEmpty("--folder"))
    .addOption(sessionsOption())
    .option("--set <key=value>", settingText, assign)
    .option(
      "--unset <name>",
      "remove a setting, or its model, folder or allowedCommands; can be repeated",
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

const modelText = "model to use unless a turn names another";
const folderText = "folder to work in unless a turn names another";
const settingText = "a setting of its provider, or instructions; can be repeated";

function kindOption(first: string): Option {
  const about = `${first}, or background: workflow nodes and schedules continue its session`;
  return new Option("--kind <kind>", about).choices(["interactive", "background"]);
}

function sessionsOption(): Option {
  const about = "how it starts: resume, fresh, or default (the setting regularAgentSessions)";
  return new Option("--sessions <setting>", about).choices(["default", "resume", "fresh"]);
}
