/**
 * What a hint tells its reader to do. A hint is stored and sent as one text, in the words of the library; these
 * functions write the parts of it that other surfaces say in other words, and `renderHint` finds them again.
 */

import type { CommandOnly, MethodOf, VerbCommands } from "../api/verb-commands.ts";
import { shellWord } from "../text/shell-word.ts";

/** A word that the reader replaces, such as KEY; it fits wherever a text does. */
export function slot(name: Uppercase<string>): string {
  return `${slotMark}${name}`;
}

/** A call of the library: `reprise.sessions.revive("fix-42")`. Only calls that are also commands can be named. */
export function verb<Name extends keyof VerbCommands>(
  name: Name,
  ...args: Parameters<MethodOf<Name>>
): string {
  return `reprise.${name}(${args.map(written).join(", ")})`;
}

/** A field of the call that failed, or a value for it: `the option "agent"`, on the command line `--agent`. */
export function option(name: string, value?: string): string {
  return `the option "${value === undefined ? name : `${name}: ${value}`}"`;
}

/** Something that only the program can do: `the Reprise command "up --detach"`. */
export function command(words: CommandOnly, ...args: string[]): string {
  return `the Reprise command "${[words, ...args.map(wordOf)].join(" ")}"`;
}

/** How a surface says what the three functions above wrote. */
export interface HintWords {
  verb(name: string, args: readonly unknown[]): string | null;
  option(name: string, value: string | undefined): string;
  command(words: string): string;
}

/** Whether a text has a part that surfaces say in other words. */
export function hasHint(text: string): boolean {
  return part.test(text);
}

/** The text in the words of a surface. What cannot be read stays as it is. */
export function renderHint(text: string, words: HintWords): string {
  let rendered = "";
  let rest = text;
  for (let found = part.exec(rest); found; found = part.exec(rest)) {
    const [whole, name, wantedOption, wantedCommand] = found;
    rendered += rest.slice(0, found.index);
    rest = rest.slice(found.index + whole.length);
    if (wantedOption !== undefined)
      rendered += words.option(...(wantedOption.split(": ") as [string, string | undefined]));
    else if (wantedCommand !== undefined) rendered += words.command(wantedCommand);
    else {
      const read = readArguments(rest);
      const said = read && words.verb(name!, read.args);
      rendered += said ?? whole;
      if (said !== null && said !== undefined) rest = rest.slice(read!.length);
    }
  }
  return rendered + rest;
}

type Render = (text: string) => string;

/** The same document with every hint and notice of Reprise in it rendered. */
export function renderHints<Value>(value: Value, render: Render): Value {
  return rendered(value, render) as Value;
}

function rendered(value: unknown, render: Render): unknown {
  if (Array.isArray(value)) return value.map((each) => rendered(each, render));
  if (value === null || typeof value !== "object") return value;
  const fields = value as Readonly<Record<string, unknown>>;
  // An agent's own document may have a field of the same name.
  const isOurs = typeof fields.message === "string" || typeof fields.text === "string";
  return Object.fromEntries(
    Object.entries(fields).map(([name, each]) => {
      if (name === "hint" && isOurs && typeof each === "string") return [name, render(each)];
      if (name === "notices" && Array.isArray(each)) return [name, each.map(noticed(render))];
      return [name, rendered(each, render)];
    }),
  );
}

function noticed(render: Render): (notice: unknown) => unknown {
  return (notice) => {
    const { text } = (notice ?? {}) as { readonly text?: unknown };
    return typeof text === "string" ? { ...(notice as object), text: render(text) } : notice;
  };
}

const slotMark = "\u0000";
const part =
  /\breprise\.([a-zA-Z]+(?:\.[a-zA-Z]+)?)\(|\bthe option "([\w.-]+(?:: [\w.-]+)?)"|\bthe Reprise command "([^"]+)"/;

function written(value: unknown): string {
  if (typeof value === "string")
    return value.startsWith(slotMark) ? value.slice(1) : JSON.stringify(value);
  if (value === null || typeof value !== "object") return String(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${written(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

const token = /\s*(?:("(?:[^"\\]|\\.)*")|([A-Za-z]\w*)|([{}:,)]))/y;

/** The arguments up to the closing parenthesis, and how long they are; null when they are not what `verb` wrote. */
function readArguments(text: string): { args: unknown[]; length: number } | null {
  token.lastIndex = 0;
  const next = () => token.exec(text) ?? [];
  const value = ([, quoted, word, sign]: string[]): unknown => {
    if (quoted !== undefined) return JSON.parse(quoted);
    if (word !== undefined) return constants.has(word) ? constants.get(word) : slot(word as "X");
    if (sign !== "{") throw new SyntaxError();
    const fields: Record<string, unknown> = {};
    for (let at = next(); at[3] !== "}"; at = next()) {
      if (at[3] === ",") continue;
      const name = at[2];
      if (name === undefined || next()[3] !== ":") throw new SyntaxError();
      fields[name] = value(next());
    }
    return fields;
  };
  try {
    const args: unknown[] = [];
    for (let at = next(); at[3] !== ")"; at = next()) if (at[3] !== ",") args.push(value(at));
    return { args, length: token.lastIndex };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const constants = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["undefined", undefined],
]);

/** A text as a word of a command: one with a slot as it is, anything else quoted for a shell where it must be. */
export function wordOf(text: string): string {
  return text.includes(slotMark) ? text.replaceAll(slotMark, "") : shellWord(text);
}
