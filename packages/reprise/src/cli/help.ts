/** The help of every command: one sentence, its options and examples. The program's help lists the commands in groups. */

import { type Argument, Command, Help, type Option } from "commander";
import { isShared } from "./global-options.ts";

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
