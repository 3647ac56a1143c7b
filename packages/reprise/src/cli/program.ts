/** All commands of `reprise`, and how one of them is run. */

import { roles } from "@reprise/core/api/role";
import { CommanderError, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { defineAgentCommands } from "./agent-commands.ts";
import { type Cli, createCli, type GlobalOptions } from "./cli.ts";
import { defineConfigCommands } from "./config-commands.ts";
import { exitCodes } from "./exit-code.ts";
import { globalOptions, shareOptions } from "./global-options.ts";
import { RepriseCommand } from "./help.ts";
import { defineHomeCommands } from "./home-commands.ts";
import { duration } from "./input/duration.ts";
import { wholeNumber } from "./input/whole-number.ts";
import { type Invoke, invoker } from "./invocation.ts";
import { reportError } from "./report.ts";
import { defineRunCommands } from "./run-commands.ts";
import { defineServerCommands } from "./server-commands.ts";
import { defineSessionCommands } from "./session-commands.ts";
import type { Surroundings } from "./surroundings.ts";
import { usageError } from "./usage-error.ts";
import { defineWorkflowCommands } from "./workflow-commands.ts";

/** Defines every command; `invoke` runs one. */
export function createProgram(invoke: Invoke): RepriseCommand {
  const program = new RepriseCommand("reprise")
    .description(
      "Keeps coding agents in one continuous conversation, or starts them clean, and always shows why.",
    )
    .usage("COMMAND [OPTIONS]")
    .option("--home <dir>", "folder of Reprise (else REPRISE_HOME, else ~/.local/state/reprise)")
    .option("--json", "print one JSON document")
    .option("-q, --quiet", "print the result only: no badge, notices or progress")
    .option("--no-color", "print without colours (also NO_COLOR; FORCE_COLOR for the opposite)")
    .option("--verbose", "print the stack of an unexpected error (also REPRISE_DEBUG)")
    .version(manifest.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .enablePositionalOptions()
    .examples(
      "reprise agent create coder --provider codex",
      'reprise sessions send fix-42 "Find the bug in the parser." --agent coder',
      'reprise sessions send fix-42 "Now mend it."',
      "reprise why fix-42",
      "reprise demo",
    );
  const width = Math.max(...exitCodes.map(([code]) => code.length));
  program.addHelpText(
    "after",
    `\nExit codes:\n${exitCodes.map(([code, meaning]) => `  ${code.padEnd(width)}  ${meaning}`).join("\n")}`,
  );

  defineRunCommands(program, invoke);
  defineSessionCommands(program, invoke);
  defineAgentCommands(program, invoke);
  program
    .command("why")
    .description(
      "Show what was decided for a turn, with each guard's stored and current value; or for every turn of a run.",
    )
    .argument(
      "<turn|key|run>",
      "a turn's or a run's id, the beginning of one, or a key (its last turn)",
    )
    .examples("reprise why fix-42", "reprise why fix-42 --json")
    .action(invoke(() => import("./commands/why.ts")));
  program
    .command("usage")
    .description("Show what sessions used, and what resuming them saved.")
    .option("--key <key>", "one session, with its turns")
    .option("--agent <name>", "only turns of this agent")
    .option("--since <time>", "only turns of so long ago or less, as in 24h or 7d", duration)
    .option("--limit <count>", "at most so many sessions, or turns of the key", wholeNumber)
    .examples("reprise usage", "reprise usage --since 7d", "reprise usage --key fix-42 --json")
    .action(invoke(() => import("./commands/usage.ts")));
  program
    .command("doctor")
    .description("Check the home, the database and the agents' programs.")
    .examples("reprise doctor", "reprise doctor --json")
    .action(invoke(() => import("./commands/doctor.ts")));
  defineWorkflowCommands(program, invoke);
  defineServerCommands(program, invoke);
  defineConfigCommands(program, invoke);
  defineHomeCommands(program, invoke);
  program
    .command("demo")
    .description("Show resume, reseed, blank and a repaired history with the scripted agent.")
    .examples("reprise demo", "reprise demo --home ./.reprise")
    .action(invoke(() => import("./commands/demo.ts")));
  program
    .command("mcp")
    .description("Serve sessions, runs and the inbox as MCP tools on standard input and output.")
    .addOption(
      new Option(
        "--role <role>",
        `what the tools may do: ${roles.join(", ")} (default); only approver can answer the inbox`,
      )
        .choices(roles)
        .default("operator"),
    )
    .option("--by <name>", "name under answers that are given (else yours)")
    .examples(
      "claude mcp add reprise -- reprise mcp",
      "codex mcp add reprise -- reprise mcp --role viewer",
    )
    .action(invoke(() => import("./commands/mcp.ts")));
  shareOptions(program);
  return program;
}

/** Runs one command and gives its exit code; nothing is thrown. */
export async function runProgram(argv: string[], surroundings: Surroundings): Promise<number> {
  let exitCode = 0;
  const program = createProgram(
    invoker(
      (command) => createCli(surroundings, globalOptions(command)),
      (code) => {
        exitCode = code;
      },
    ),
  );
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    await complete(program, argv.slice(1), surroundings).catch(() => {});
    return 0;
  }
  const early = createCli(surroundings, earlyOptions(argv));
  connect(program, early);
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    return reportError(early, error);
  }
}

/** What must be known of the options even when they can not be parsed. */
function earlyOptions(argv: readonly string[]): GlobalOptions {
  const end = argv.indexOf("--");
  const given = (flag: string) => (end === -1 ? argv : argv.slice(0, end)).includes(flag);
  return { json: given("--json"), verbose: given("--verbose"), color: !given("--no-color") };
}

/** Lets commander print through our channels and throw our errors, in every command alike. */
function connect(command: RepriseCommand, cli: Cli): void {
  command
    .configureOutput({
      writeOut: (text) => cli.out.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(cli.out.width, 100),
      getOutHasColors: () => cli.out.coloured,
    })
    .configureHelp({ styleTitle: (title) => cli.out.paint("bold", title) })
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageError(command, error);
    });
  for (const child of command.commands) connect(child as RepriseCommand, cli);
}
