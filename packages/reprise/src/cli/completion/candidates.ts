/** Finds completions for the command line, from the definitions of the commands alone. */

import { settingChoices, settingNames } from "@reprise/core/settings/settings";
import type { Argument, Command, Option } from "commander";

export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** Kinds of names that are looked up in a home or a folder. */
export type CandidateSource =
  | "sessions"
  | "agents"
  | "providers"
  | "runs"
  | "items"
  | "tokens"
  | "webhooks"
  | "files"
  | "folders";

export interface Completion {
  /** Those that begin with the typed text. */
  readonly candidates: readonly Candidate[];
  readonly source: CandidateSource | null;
  /** The typed part of the value, and the prefix before it in the same word: `--agent=`. */
  readonly typed: string;
  readonly before: string;
  /** The home that an option names. */
  readonly home: string | undefined;
}

/** `words` are those after `reprise`; the last one is being typed, and may be empty. */
export function completionAt(program: Command, words: readonly string[]): Completion {
  const place = walk(program, words.slice(0, -1));
  const current = words.at(-1) ?? "";
  const [, flag, inline] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  const option = flag === undefined ? place.option : findOption(place.command, flag);
  const typed = flag === undefined ? current : (inline ?? "");
  const before = flag === undefined ? "" : `${flag}=`;

  const { values, source } = option
    ? ofOption(option)
    : flag !== undefined
      ? nothing
      : current.startsWith("-") && !place.literal
        ? { values: optionsOf(place), source: null }
        : ofPosition(place);
  return {
    candidates: values.filter(({ value }) => value.startsWith(typed)),
    source,
    typed,
    before,
    home: place.home,
  };
}

interface Place {
  readonly command: Command;
  /** The positional arguments of the command so far. */
  readonly given: readonly string[];
  readonly flags: readonly string[];
  /** The option whose value comes next. */
  readonly option: Option | null;
  /** After `--`, where nothing is an option. */
  readonly literal: boolean;
  readonly home: string | undefined;
}

function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let given: string[] = [];
  const flags: string[] = [];
  let option: Option | null = null;
  let literal = false;
  let home: string | undefined;
  for (const word of words) {
    if (option) {
      if (isHome(program, option)) home = word;
      option = null;
    } else if (literal || word === "-" || !word.startsWith("-")) {
      const child = literal ? undefined : childOf(command, word);
      if (child) given = [];
      else given.push(word);
      command = child ?? command;
    } else if (word === "--") literal = true;
    else {
      const [flag = "", ...value] = word.split("=");
      const named = findOption(command, flag);
      if (named && isHome(program, named) && value.length > 0) home = value.join("=");
      if (named && takesValue(named) && value.length === 0) option = named;
      flags.push(flag);
    }
  }
  return { command, given, flags, option, literal, home };
}

interface Values {
  readonly values: readonly Candidate[];
  readonly source: CandidateSource | null;
}

const nothing: Values = { values: [], source: null };

function ofPosition({ command, given }: Place): Values {
  if (command.commands.length > 0)
    return {
      values: command.commands.map((child) => candidate(child.name(), child.description())),
      source: null,
    };
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[given.length] ?? (last?.variadic ? last : undefined);
  return argument ? ofArgument(command, argument, given) : nothing;
}

/** What the argument `name` refers to, by command group; a name to create has no candidates. */
const ofGroup: Readonly<Record<string, CandidateSource>> = { agent: "agents", token: "tokens" };

function ofArgument(command: Command, argument: Argument, given: readonly string[]): Values {
  if (argument.argChoices) return choices(argument.argChoices);
  if (argument.name() === "value") return choices(settingChoices(given.at(-1) ?? ""));
  const named = command.name() === "create" ? undefined : ofGroup[command.parent?.name() ?? ""];
  return named !== undefined && argument.name() === "name"
    ? { values: [], source: named }
    : byName(argument.name());
}

function ofOption(option: Option): Values {
  if (option.argChoices) return choices(option.argChoices);
  if (option.long === "--agent") return { values: [], source: "agents" };
  if (option.long === "--provider") return { values: [], source: "providers" };
  return byName(/[<[](.+)[>\]]/.exec(option.flags)?.[1] ?? "");
}

function byName(name: string): Values {
  switch (name) {
    case "key":
    case "turn|key":
    case "turn|key|run":
      return { values: [], source: "sessions" };
    case "run":
    case "run|turn|key":
      return { values: [], source: "runs" };
    case "item":
    case "item|turn|key":
      return { values: [], source: "items" };
    case "webhook":
      return { values: [], source: "webhooks" };
    case "file":
    case "path":
      return { values: [], source: "files" };
    case "dir":
      return { values: [], source: "folders" };
    case "provider":
      return { values: [], source: "providers" };
    case "setting":
      return choices(settingNames);
    default:
      return nothing;
  }
}

function optionsOf({ command, flags }: Place): Candidate[] {
  return command.options
    .filter(({ hidden, long }) => !hidden && long !== undefined && !flags.includes(long))
    .map(({ long, description }) => candidate(long!, description))
    .concat(candidate("--help", "print help"));
}

function findOption({ options }: Command, flag: string): Option | null {
  return options.find(({ long, short }) => long === flag || short === flag) ?? null;
}

/** Whether it is Reprise's own `--home`; a command may have another option of that name. */
function isHome(program: Command, option: Option): boolean {
  return option.long === "--home" && program.options.includes(option);
}

function childOf(command: Command, word: string): Command | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function choices(values: readonly string[]): Values {
  return { values: values.map((value) => candidate(value, "")), source: null };
}

function candidate(value: string, about: string): Candidate {
  return { value, about };
}
