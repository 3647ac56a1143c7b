/** Help of every command: its examples, and at the top all commands in one list. */

import { type Argument, Command, Help, type Option } from "commander";
import { isShared } from "./global-options.ts";

const examples = new WeakMap<Command, readonly string[]>();

export function examplesOf(command: Command): readonly string[] {
  return examples.get(command) ?? [];
}

/** The command as it is typed, without its options: `reprise sessions send`. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

/** The commands that do something, in the order of their definition. */
export function leaves(command: Command): Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? leaves(child) : [child]));
}

function moreHelp(command: Command): string {
  return `Options and examples of one command: ${commandPath(command)} --help`;
}

class RepriseHelp extends Help {
  override showGlobalOptions = true;

  override formatHelp(command: Command, helper: Help): string {
    // Only while help is printed: commander asks the same methods for "did you mean".
    if (command.parent === null) helper.visibleCommands = leaves;
    const shown = helper.visibleOptions(command);
    helper.visibleOptions = () => shown.filter((option) => !isShared(command, option));
    const text = super.formatHelp(command, helper).replace("Global Options:", "Global options:");
    const [first] = command.commands;
    return first === undefined ? text : `${text}\n${moreHelp(first)}\n`;
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
}
