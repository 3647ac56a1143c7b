/** All commands of `reprise`, and how one of them is run. */

import { roles } from "@reprise/core/api/role";
import { UsageError } from "@reprise/core/errors/errors";
import { type Command, CommanderError, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { defineAgentCommands } from "./agent-commands.ts";
import {
  type Cli,
  createCli,
  type GlobalOptions,
  homeNeed,
  type Invoke,
  invoker,
  misspelledVariables,
  type Surroundings,
} from "./cli.ts";
import { commandGroups } from "./command-groups.ts";
import { defineConfigCommands } from "./config-commands.ts";
import { exitCodes } from "./format/outcome.ts";
import {
  commandPath,
  globalOptions,
  RepriseCommand,
  shareOptions,
  shareOptionsWhenRun,
} from "./help.ts";
import { defineHomeCommands } from "./home-commands.ts";
import { duration } from "./input/duration.ts";
import { nonEmpty } from "./input/turn.ts";
import { wholeNumber } from "./input/whole-number.ts";
import { defineProtectCommands } from "./protect-commands.ts";
import { defineProviderCommands } from "./provider-commands.ts";
import { nameProviders } from "./provider-names.ts";
import { reportError } from "./report.ts";
import { defineRunCommands } from "./run-commands.ts";
import { defineServerCommands } from "./server-commands.ts";
import {
  defineExplain,
  defineSend,
  defineSessionCommands,
  explainExamples,
  sendExamples,
} from "./session-commands.ts";
import { usageError } from "./usage-error.ts";
import { defineWorkflowCommands } from "./workflow-commands.ts";

interface Definition {
  /** The words that its commands begin with, old ones too. */
  readonly words: string;
  readonly define: (program: RepriseCommand, invoke: Invoke) => void;
}

/** The commands, in the order of `reprise --help` and the reference. */
const definitions: readonly Definition[] = [
  {
    words: "send",
    define: (program, invoke) =>
      defineSend(program, invoke).examples(...sendExamples("reprise send")),
  },
  {
    words: "why",
    define: (program, invoke) =>
      program
        .command("why")
        .description(
          "Show why a turn resumed, reseeded, began blank or was refused; or each turn of a run.",
        )
        .argument(
          "<turn|key|run>",
          "id of a turn or run, the start of one, or a key (its last turn)",
        )
        .examples("reprise why fix-42", "reprise why fix-42 --json")
        .action(invoke(() => import("./commands/why.ts"))),
  },
  {
    words: "run inbox approve reject answer runs show logs cancel rerun",
    define: defineRunCommands,
  },
  { words: "session sessions", define: defineSessionCommands },
  {
    words: "explain",
    define: (program, invoke) =>
      defineExplain(program, invoke).examples(...explainExamples("reprise explain")),
  },
  { words: "agent agents", define: defineAgentCommands },
  { words: "provider providers", define: defineProviderCommands },
  {
    words: "usage",
    define: (program, invoke) =>
      program
        .command("usage")
        .description("Show the tokens that sessions used, and what resuming saved.")
        .option("--key <key>", "one session, with its turns", nonEmpty("--key"))
        .option("--agent <name>", "only turns of this agent", nonEmpty("--agent"))
        .option("--since <time>", "only turns within this time, as in 24h or 7d", duration)
        .option(
          "--limit <count>",
          "maximum number of sessions, or of turns with --key",
          wholeNumber,
        )
        .examples("reprise usage", "reprise usage --since 7d", "reprise usage --key fix-42 --json")
        .action(invoke(() => import("./commands/usage.ts"))),
  },
  { words: "workflow workflows", define: defineWorkflowCommands },
  {
    words: "status up start down stop token tokens passphrase passphrases webhook webhooks",
    define: defineServerCommands,
  },
  {
    words: "mcp",
    define: (program, invoke) =>
      program
        .command("mcp")
        .description(
          "Serve sessions, runs and the inbox as MCP tools on standard input and output.",
        )
        .addOption(
          new Option(
            "--role <role>",
            `what the tools may do: ${roles.join(", ")} (default: operator); only approver can answer the inbox`,
          )
            .choices(roles)
            .default("operator"),
        )
        .option("--by <name>", "name to record with answers (default: you)", nonEmpty("--by"))
        .examples(
          "claude mcp add reprise -- reprise mcp",
          "codex mcp add reprise -- reprise mcp --role viewer",
        )
        .action(invoke(() => import("./commands/mcp.ts"))),
  },
  {
    words: "doctor",
    define: (program, invoke) =>
      program
        .command("doctor")
        .description("Check the home, the database and the agents' programs.")
        .examples("reprise doctor", "reprise doctor --json")
        .action(invoke(() => import("./commands/doctor.ts"))),
  },
  { words: "protect", define: defineProtectCommands },
  { words: "config", define: defineConfigCommands },
  { words: "backup restore migrate completion", define: defineHomeCommands },
  {
    words: "demo",
    define: (program, invoke) =>
      program
        .command("demo")
        .description("Show resume, reseed, blank and a repaired history with the scripted agent.")
        .examples("reprise demo", "reprise demo --home ./.reprise")
        .action(invoke(() => import("./commands/demo.ts"))),
  },
];

/** Every command with all of its options; `invoke` runs one. */
export function createProgram(invoke: Invoke): RepriseCommand {
  const program = defineProgram(invoke);
  shareOptions(program);
  return program;
}

/** The program with the commands that `word` needs, the first word of a command line; with all of them for null. */
function defineProgram(invoke: Invoke, word: string | null = null): RepriseCommand {
  const program = new RepriseCommand("reprise")
    .description(
      "Keep coding agents in one continuous conversation, or start them clean, and see why.",
    )
    .usage("COMMAND [OPTIONS]")
    .option(
      "--home <dir>",
      "folder where Reprise keeps everything (default: REPRISE_HOME, else ~/.local/state/reprise)",
      nonEmpty("--home"),
    )
    .option("--json", "print one JSON document")
    .option("-q, --quiet", "print only the result: no badge, notices or progress")
    .option("--no-color", "print without colors (also NO_COLOR; FORCE_COLOR forces them)")
    .option("--verbose", "print the stack of an unexpected error (also REPRISE_DEBUG)")
    .version(manifest.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .enablePositionalOptions()
    .examples(
      "reprise agent create coder --provider codex",
      "reprise agent use coder",
      'reprise send fix-42 "Find the bug in the parser."',
      'reprise send fix-42 "Now fix it."',
      "reprise why fix-42",
      "reprise demo",
    );
  const width = Math.max(...exitCodes.map(([code]) => code.length));
  program.addHelpText(
    "after",
    `\nExit codes:\n${exitCodes.map(([code, meaning]) => `  ${code.padEnd(width)}  ${meaning}`).join("\n")}`,
  );

  for (const { words, define } of definitions)
    if (word === null || words.split(" ").includes(word)) define(program, invoke);
  if (word === null) program.groups(...commandGroups);
  return program;
}

/** Runs one command and returns its exit code; never throws. */
export async function runProgram(argv: string[], surroundings: Surroundings): Promise<number> {
  let exitCode = 0;
  const early = createCli(surroundings, earlyOptions(argv));
  let cli = early;
  const invoke = invoker(
    (command) => {
      if (surroundings.env.HOME === "") throw emptyHome();
      const need = homeNeed(commandPath(command).slice("reprise ".length));
      cli = createCli(surroundings, globalOptions(command), need);
      for (const text of misspelledVariables(surroundings.env)) cli.remark(text);
      return cli;
    },
    (code) => {
      exitCode = code;
    },
  );
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    await complete(createProgram(invoke), argv.slice(1), surroundings).catch(() => {});
    return 0;
  }
  let words = commandWords(argv);
  const program = defineProgram(invoke, definedWord(words));
  shareOptionsWhenRun(program);
  connect(program, early, () => defineProgram(invoke));
  try {
    if (asksForHelp(words)) words = wordsOfKnown(program, words);
    if (asksForHelp(words)) await addProviderNames(program, early);
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    return reportError(cli, error);
  }
}

/** Asked for help with a command that does not exist, commander would print the help of what is above it. */
function wordsOfKnown(program: Command, words: string[]): string[] {
  let command = program;
  for (const word of words) {
    if (word.startsWith("-") || command.commands.length === 0) return words;
    const child = command.commands.find(
      (each) => each.name() === word || each.aliases().includes(word),
    );
    if (child === undefined) return words.filter((each) => !asksForHelp([each]));
    command = child;
  }
  return words;
}

function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes("--help") || argv.includes("-h");
}

/** Help must not fail because of wrong settings: then it has only the names of Reprise's own providers. */
async function addProviderNames(program: RepriseCommand, cli: Cli): Promise<void> {
  const { readProviders } = await import("@reprise/engine/load-providers");
  const { builtInProviders } = await import("@reprise/providers/registry");
  const { providers } = await readProviders(cli).catch(() => ({ providers: builtInProviders }));
  nameProviders(
    program,
    providers.map(({ manifest: { name } }) => name),
  );
}

/** With an empty HOME, settings and homes would be looked for in the current folder. */
function emptyHome(): UsageError {
  return new UsageError(
    "empty-home",
    "The environment variable HOME is empty.",
    "Set it to your home folder, or unset it.",
  );
}

/** Translates `help`, `help COMMAND`, `version` and `-v`, as other programs have them, into our own options. */
function commandWords(argv: string[]): string[] {
  const [first, ...rest] = argv;
  if (first === "help") return [...rest, "--help"];
  if ((first === "version" || first === "-v") && rest.length === 0) return ["--version"];
  return argv;
}

/** The first word if it is a command's; null if all commands are needed, as for help or a misspelled word. */
function definedWord(argv: readonly string[]): string | null {
  let at = 0;
  while (argv[at]?.startsWith("-")) at += argv[at] === "--home" ? 2 : 1;
  const word = argv[at] ?? "";
  return definitions.some(({ words }) => words.split(" ").includes(word)) ? word : null;
}

/** The options that matter even if the command line cannot be parsed. */
function earlyOptions(argv: readonly string[]): GlobalOptions {
  const end = argv.indexOf("--");
  const given = (flag: string) => (end === -1 ? argv : argv.slice(0, end)).includes(flag);
  return { json: given("--json"), verbose: given("--verbose"), color: !given("--no-color") };
}

/** Makes commander print through our channels and throw our errors, in every command. */
function connect(command: RepriseCommand, cli: Cli, all: () => RepriseCommand): void {
  command
    .configureOutput({
      writeOut: (text) => cli.out.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(cli.out.width, 100),
      getOutHasColors: () => cli.out.coloured,
    })
    .configureHelp({ styleTitle: (title) => cli.out.paint("bold", title) })
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageError(command, error, all);
    });
  for (const child of command.commands) connect(child as RepriseCommand, cli, all);
}
