/** The help of every command: one sentence, its options and examples. The program's help lists the commands in groups. */

import type { EventEmitter } from "node:events";
import { type Argument, Command, Help, type Option } from "commander";
import type { GlobalOptions } from "./cli.ts";

const examples = new WeakMap<Command, readonly string[]>();
const groups = new WeakMap<Command, readonly CommandGroup[]>();
const shortForms = new WeakMap<Command, string>();

/** Commands under one heading of the program's help, each by its path: `send`, `session list`. */
export type CommandGroup = readonly [heading: string, paths: readonly string[]];

export function examplesOf(command: Command): readonly string[] {
  return examples.get(command) ?? [];
}

/** The shorter command that does the same: `reprise send` for `reprise session send`. */
export function shortFormOf(command: Command): string | null {
  return shortForms.get(command) ?? null;
}

/** The command as it is typed, without its options: `reprise session send`. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

/** The commands that do something, in the order of their definition. */
export function leaves(command: Command): Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? leaves(child) : [child]));
}

function findCommand(command: Command, path: string): Command {
  return path.split(" ").reduce((parent, name) => {
    const child = parent.commands.find((each) => each.name() === name);
    if (child === undefined) throw new Error(`There is no command "${path}".`);
    return child;
  }, command);
}

class RepriseHelp extends Help {
  override showGlobalOptions = true;

  override formatHelp(command: Command, helper: Help): string {
    const shown = helper.visibleOptions(command);
    const grouped = groups.get(command);
    // Set only while help is printed: commander asks the same methods for "did you mean".
    if (grouped)
      helper.visibleCommands = () =>
        grouped.flatMap(([heading, paths]) =>
          paths.map((path) => findCommand(command, path).helpGroup(heading)),
        );
    helper.visibleOptions = () =>
      grouped ? [] : shown.filter((option) => !isShared(command, option));
    const text = super.formatHelp(command, helper).replace("Global Options:", "Global options:");
    if (grouped) return `${text}\n${this.#options(command, shown, helper)}\n`;
    const more = command.commands.length > 0 ? [moreHelp(command)] : [];
    const same = shortForms.get(command);
    return [text, ...more, ...(same ? [`Short form: ${same}\n`] : [])].join("\n");
  }

  /** The program's own options come after its commands, as in gh and docker. */
  #options(command: Command, options: readonly Option[], helper: Help): string {
    const width = helper.padWidth(command, helper);
    const items = options.map((option) =>
      helper.formatItem(helper.optionTerm(option), width, helper.optionDescription(option), helper),
    );
    return [
      ...this.formatItemList("Options:", items, helper),
      'Run "reprise help COMMAND" for the options and examples of a command.',
    ].join("\n");
  }

  override groupItems<Item extends Command | Option>(
    _: Item[],
    visible: Item[],
    groupOf: (item: Item) => string,
  ): Map<string, Item[]> {
    return super.groupItems(visible, visible, groupOf);
  }

  override visibleGlobalOptions(command: Command): Option[] {
    return command.options.filter((option) => isShared(command, option));
  }

  override subcommandTerm(command: Command): string {
    const names = command.registeredArguments.map((argument) =>
      argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
    );
    return [commandPath(command).replace(/^reprise /, ""), ...names].join(" ");
  }

  override commandUsage(command: Command): string {
    return command.parent !== null && command.commands.length > 0
      ? `${commandPath(command)} COMMAND [OPTIONS]`
      : super.commandUsage(command);
  }

  /** The descriptions name choices and defaults themselves. */
  override optionDescription(option: Option): string {
    return option.description;
  }

  override argumentDescription(argument: Argument): string {
    return argument.description;
  }
}

function moreHelp(command: Command): string {
  return `Run "${commandPath(command)} COMMAND --help" for the options and examples of a command.\n`;
}

export class RepriseCommand extends Command {
  override createCommand(name?: string): RepriseCommand {
    return new RepriseCommand(name);
  }

  override createHelp(): Help {
    return Object.assign(new RepriseHelp(), this.configureHelp());
  }

  examples(...lines: string[]): this {
    examples.set(this, lines);
    const text = lines.map((line) => `  $ ${line}`).join("\n");
    return this.addHelpText("after", `\nExamples:\n${text}`);
  }

  /** Groups the commands in the program's help, which then lists only those. */
  groups(...listed: CommandGroup[]): this {
    groups.set(this, listed);
    return this;
  }

  /** Names the shorter command that does the same. */
  shortForm(command: string): this {
    shortForms.set(this, command);
    return this;
  }
}

// The options that every command accepts, before or after its name.

/**
 * Gives every command the program's options. A command with an option of the same name keeps its own: after the
 * command's name its own is meant, before it the program's.
 */
export function shareOptions(program: Command, command: Command = program): void {
  for (const child of command.commands) {
    giveOptions(program, child);
    shareOptions(program, child);
  }
}

/** The same, but only for the commands that are run, just before: giving them to all takes 20 ms. */
export function shareOptionsWhenRun(program: Command, command: Command = program): void {
  command.hook("preSubcommand", (_, child) => {
    giveOptions(program, child);
    shareOptionsWhenRun(program, child);
  });
}

function giveOptions(program: Command, command: Command): void {
  for (const option of program.options)
    if (!command.options.some(({ long }) => long === option.long)) command.addOption(option);
  // Only the command that defined it prints the version; commander's types hide that it can emit.
  command.on("option:version", () => (program as unknown as EventEmitter).emit("option:version"));
}

/** Whether the command has the option from the program. */
export function isShared(command: Command, option: Option): boolean {
  return command.parent !== null && programOf(command).options.includes(option);
}

/** The program's options that were given, at any position; the last one counts. */
export function globalOptions(command: Command): GlobalOptions {
  const inherited = command.parent ? globalOptions(command.parent) : {};
  const given = programOf(command)
    .options.filter((option) => command.options.includes(option))
    .map((option) => option.attributeName())
    .filter((name) => command.getOptionValueSource(name) === "cli")
    .map((name) => [name, command.getOptionValue(name)]);
  return { ...inherited, ...Object.fromEntries(given) };
}

function programOf(command: Command): Command {
  return command.parent ? programOf(command.parent) : command;
}
