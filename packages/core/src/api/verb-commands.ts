/**
 * The command of `reprise` for each method that a hint may name, so that the command line, the page and MCP say the
 * same thing as the library in their own words.
 */

import { renderHint, wordOf } from "../errors/hint.ts";
import type { Reprise } from "./reprise.ts";

type Group = "agents" | "sessions" | "turns" | "runs" | "inbox" | "tokens" | "protect";
type VerbName =
  | { [Name in Group]: `${Name}.${keyof Reprise[Name] & string}` }[Group]
  | "doctor"
  | "providers"
  | "config"
  | "usage"
  | "backup";

/** The method of `Reprise` with this name, such as `sessions.send`. */
export type MethodOf<Name extends VerbName> = Name extends `${infer In extends Group}.${infer Own}`
  ? Own extends keyof Reprise[In]
    ? Callable<Reprise[In][Own]>
    : never
  : Name extends keyof Reprise
    ? Callable<Reprise[Name]>
    : never;
type Callable<Method> = Method extends (...args: infer Args) => infer Result
  ? (...args: Args) => Result
  : never;

type Words = readonly (string | null | undefined)[];

/** `--name VALUE`, when there is a value. */
const flag = (name: string, value: string | null | undefined): Words =>
  value === null || value === undefined ? [] : [`--${name}`, value];

const setFlags = (settings: Readonly<Record<string, unknown>> | null | undefined) =>
  Object.entries(settings ?? {}).flatMap(([key, value]) => ["--set", `${key}=${value}`]);

const verbCommands = {
  "agents.create": ({ name, provider, class: made, settings }) => [
    ...["agent", "create", name],
    ...flag("class", made),
    ...flag("provider", provider),
    ...setFlags(settings),
  ],
  "agents.createClass": ({ name, provider }) => [
    ...["agent", "create", name, "--class"],
    ...flag("provider", provider),
  ],
  "agents.list": () => ["agent", "list"],
  "agents.listClasses": () => ["agent", "list", "--class"],
  "agents.set": ({ name, settings }) => [...["agent", "set", name], ...setFlags(settings)],
  "sessions.send": ({ key, prompt }) => ["send", key, prompt],
  "sessions.list": () => ["session", "list"],
  "sessions.show": (key) => ["session", "show", key],
  "sessions.explain": ({ key }) => ["explain", key],
  "sessions.verify": (key) => ["session", "verify", key],
  "sessions.purge": (key, { force } = {}) => ["session", "purge", key, force ? "--force" : null],
  "sessions.fork": ({ key, newKey }) => ["session", "fork", key, newKey],
  "sessions.move": ({ key, folder, home }) => [
    ...["session", "move", key],
    ...flag("folder", folder),
    ...flag("home", home),
  ],
  "sessions.release": ({ key, by }) => ["session", "release", key, ...flag("by", by)],
  "sessions.revive": (key) => ["session", "revive", key],
  "turns.why": (turn) => ["why", turn],
  "turns.cancel": (turn, { ownerGone } = {}) => ["cancel", turn, ownerGone ? "--owner-gone" : null],
  "runs.list": () => ["runs"],
  "runs.show": (run) => ["show", run],
  "runs.cancel": ({ run }) => ["cancel", run],
  "runs.rerun": ({ run, from, fromStart }) => [
    ...["rerun", run],
    ...flag("from", from),
    fromStart ? "--from-start" : null,
  ],
  "inbox.list": () => ["inbox"],
  "inbox.show": (item) => ["inbox", item],
  "inbox.answer": ({ item, choice }) =>
    choice === "allow" || choice === "approve"
      ? ["approve", item]
      : choice === "deny" || choice === "reject"
        ? ["reject", item]
        : ["answer", item, choice],
  "tokens.list": () => ["token", "list"],
  "tokens.rotate": ({ name }) => ["token", "rotate", name],
  "protect.set": ({ on }) => ["protect", on ? "on" : "off"],
  "protect.scan": () => ["protect", "scan"],
  "protect.status": () => ["protect", "status"],
  "protect.restore": ({ id, provider, force, dryRun }) => [
    ...["session", "restore", id],
    ...flag("provider", provider),
    force ? "--force" : null,
    dryRun ? "--dry-run" : null,
  ],
  doctor: () => ["doctor"],
  config: () => ["config", "show"],
} satisfies { readonly [Name in VerbName]?: (...args: Parameters<MethodOf<Name>>) => Words };

export type VerbCommands = typeof verbCommands;

/** Commands that a hint may name although the library has no method for them. */
export const commandsOnly = [
  "agent use",
  "config set",
  "migrate",
  "passphrase set",
  "restore",
  "up --detach",
  "webhook deliveries",
  "webhook list",
  "workflow migrate",
  "workflow validate",
] as const;
export type CommandOnly = (typeof commandsOnly)[number];

/**
 * The text with commands that can be pasted instead of calls. `program` is what they begin with: `reprise`, or
 * `reprise --home DIR`.
 */
export function asCommands(text: string, program = "reprise"): string {
  const quoted = (words: string) => `"${program} ${words}"`;
  return renderHint(text, {
    verb(name, args) {
      const words = commandWords(name, args);
      return words === null ? null : quoted(words);
    },
    option: optionWords,
    command: quoted,
  });
}

/** Fields that are arguments of a command, or options of another name. */
const optionNames: Readonly<Record<string, string>> = {
  choice: "the choice after the item",
  text: "the text after the turn",
  passphrase: "--passphrase-stdin",
};

/** Fields of a field, such as one input: an option that can be repeated. */
const repeated: Readonly<Record<string, string>> = {
  inputs: "--input",
  values: "--value",
  answers: "--answer",
};

function optionWords(name: string, value: string | undefined): string {
  const [field = "", ...rest] = name.split(".");
  const each = repeated[field];
  if (each !== undefined && rest.length > 0)
    return `${each} ${rest.join(".")}=${field === "answers" ? "ANSWER" : "VALUE"}`;
  if (name === "continuity" && value !== undefined) return `--${value}`;
  const flagName = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return [optionNames[name] ?? flagName, ...(value === undefined ? [] : [value])].join(" ");
}

function commandWords(name: string, args: readonly unknown[]): string | null {
  if (!Object.hasOwn(verbCommands, name)) return null;
  const command = verbCommands[name as keyof VerbCommands] as (...args: unknown[]) => Words;
  return command(...args)
    .filter((word) => word !== null && word !== undefined)
    .map(wordOf)
    .join(" ");
}
