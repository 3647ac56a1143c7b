/** The options that every command accepts, before or after its name. */

import type { EventEmitter } from "node:events";
import type { Command, Option } from "commander";
import type { GlobalOptions } from "./cli.ts";

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
