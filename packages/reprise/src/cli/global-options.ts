/** The options that every command takes: each may stand before its name or behind it. */

import type { EventEmitter } from "node:events";
import type { Command, Option } from "commander";
import type { GlobalOptions } from "./cli.ts";

/**
 * Gives every command the program's options. One that has an option of the same name keeps its own:
 * behind its name that one is meant, and before it the program's.
 */
export function shareOptions(program: Command, command: Command = program): void {
  for (const child of command.commands) {
    for (const option of program.options)
      if (!child.options.some(({ long }) => long === option.long)) child.addOption(option);
    // Only the command that defined it prints the version; commander's types hide that it can emit.
    child.on("option:version", () => (program as unknown as EventEmitter).emit("option:version"));
    shareOptions(program, child);
  }
}

/** Whether the command has the option from the program. */
export function isShared(command: Command, option: Option): boolean {
  return command.parent !== null && programOf(command).options.includes(option);
}

/** What was given of the program's options, wherever it stood; the last one holds. */
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
