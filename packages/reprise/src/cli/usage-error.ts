/** Turns commander's error into one of ours, with a hint. */

import { UsageError } from "@reprise/core/errors/errors";
import { suggestion } from "@reprise/core/errors/suggestion";
import type { Command, CommanderError } from "commander";
import { clip, oneLine, sentence } from "./format/text.ts";
import { commandPath, leaves } from "./help.ts";

/** `all` is the whole program, of which only a part may be defined. */
export function usageError(
  command: Command,
  error: CommanderError,
  all: () => Command,
): UsageError {
  const help = `See "${commandPath(command)} --help".`;
  if (error.code === "commander.help")
    return new UsageError(
      "no-command",
      `"${commandPath(command)}" needs a command: ${names(command).join(", ")}.`,
      help,
    );
  const [, problem = "", suggested] =
    /^(?:error: )?(.*?)(?:\n\((Did you mean .*)\))?$/s.exec(error.message) ?? [];
  const hint =
    elsewhere(command, error, all) ??
    suggested ??
    nearestChoice(error) ??
    `${promptHint(command, error)}${help}`;
  const message = sentence(clip(oneLine(capitalised(plain(problem))), 300));
  return new UsageError(error.code.replace("commander.", ""), message, hint);
}

/** Commander's words, as the other messages have them. */
function plain(problem: string): string {
  const [, option, typed, argument, choices] =
    /^(?:option '(?:-\w, )?(--[\w-]+).*?' argument|command-argument value) '(.*)' is invalid(?: for argument '(.*)')?\. Allowed choices are (.*)\.$/s.exec(
      problem,
    ) ?? [];
  if (choices !== undefined)
    return `"${typed}" is not a value for ${option ?? `<${argument}>`}. Use one of: ${choices}.`;
  const [, missing, lacking] =
    /^(?:required option '(?:-\w, )?(--[\w-]+).*' not specified|missing required argument '(.*)')$/.exec(
      problem,
    ) ?? [];
  if (missing !== undefined) return `The option ${missing} is missing.`;
  if (lacking !== undefined) return `The argument <${lacking}> is missing.`;
  const [, valueless] = /^option '(?:-\w, )?(--[\w-]+).*' argument missing$/.exec(problem) ?? [];
  if (valueless !== undefined) return `The option ${valueless} needs a value.`;
  return problem.replace(/'([^']*)'/g, '"$1"');
}

/** `reprise fork` is not a command, but `reprise session fork` is. */
function elsewhere(command: Command, error: CommanderError, all: () => Command): string | null {
  if (error.code !== "commander.unknownCommand") return null;
  const [typed] = command.args;
  const found = leaves(all()).filter(
    (leaf) => leaf.name() === typed || leaf.aliases().includes(typed ?? ""),
  );
  if (found.length === 0) return null;
  return `Did you mean ${found.map((leaf) => `"${commandPath(leaf)}"`).join(" or ")}?`;
}

/** Commander lists the choices, but not the nearest one. */
function nearestChoice({ code, message }: CommanderError): string | null {
  const [, typed = "", choices = ""] =
    /(?:argument|value) '(.*?)' is invalid(?: for argument '.*')?\. Allowed choices are (.*)\.$/s.exec(
      message,
    ) ?? [];
  const nearest = code === "commander.invalidArgument" && suggestion(typed, choices.split(", "));
  return nearest ? `Did you mean ${nearest}?` : null;
}

/** A prompt that begins with a dash, or that lacks its quotes, is the usual reason. */
function promptHint(command: Command, error: CommanderError): string {
  if (!command.registeredArguments.some((argument) => argument.name() === "prompt")) return "";
  if (error.code === "commander.excessArguments") return "Put the prompt in quotes. ";
  return /unknown option '-.*\s/.test(error.message) ? "Write -- before the prompt. " : "";
}

function names(command: Command): string[] {
  return command.commands.map((child) => child.name());
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
