/**
 * The scripted agent's script file: its types, and a parser that reports the first mistake. The agent reads it at every
 * start, so this imports little; `yaml` only for a file that is not JSON.
 */

import { constants } from "node:os";
import { dirname, resolve } from "node:path";
import { failureKinds } from "@reprise/core/session/failure";
import type { Ability } from "@reprise/core/session/pin";
import { readBounded } from "../files.ts";

const maxScript = 1024 * 1024;

export interface Script {
  /** Folder that paths in the script are relative to. */
  readonly folder: string;
  readonly product: string | undefined;
  readonly version: string | undefined;
  readonly account: string | undefined;
  readonly abilities: readonly Ability[] | undefined;
  readonly rules: readonly Rule[];
}

export interface Rule {
  readonly when: When;
  /** How often it applies in one home; always, if not given. */
  readonly times: number | undefined;
  /** Apply to the whole launch, at any position in the list. */
  readonly manners: Manners;
  /** Done in order. */
  readonly steps: readonly ScriptStep[];
}

export type When = Checked<typeof conditions>;
export type Manners = { readonly [Name in keyof typeof manners]?: Value<(typeof manners)[Name]> };
export type ScriptStep = {
  readonly [Name in keyof typeof steps]: {
    readonly name: Name;
    readonly value: Value<(typeof steps)[Name]>;
  };
}[keyof typeof steps];

/** What is wrong with a script, in words that follow "cannot be used:". */
export class ScriptProblem extends Error {}

export async function readScript(path: string): Promise<Script> {
  try {
    const bytes = await readBounded(path, { limit: maxScript, what: "file" });
    const content = await parse(bytes.toString("utf8"));
    const { rules, ...about } = record(content, "the file", topLevel);
    return { folder: dirname(resolve(path)), ...about, rules: (rules ?? []).map(rule) };
  } catch (error) {
    const what = error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
    throw new ScriptProblem(`Script ${path} cannot be used: ${what}.`);
  }
}

async function parse(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {}
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  const [mistake] = document.errors;
  if (mistake) throw new Error(mistake.message.split(":\n", 1)[0]);
  return document.toJS();
}

function rule(value: unknown, index: number): Rule {
  const at = `rule ${index + 1}`;
  const { when, times, do: list } = record(value, at, ruleFields);
  if (list === undefined) throw wrong(at, "has no do");
  const collected: Record<string, unknown> = {};
  const inOrder: ScriptStep[] = [];
  for (const [position, entry] of list.entries()) {
    const where = `${at}, step ${position + 1}`;
    const [name, argument] = nameAndArgument(entry, where);
    if (Object.hasOwn(manners, name))
      collected[name] = manners[name as keyof typeof manners](argument, `${where}, ${name}`);
    else if (Object.hasOwn(steps, name)) {
      const check: Check<unknown> = steps[name as keyof typeof steps];
      inOrder.push({ name, value: check(argument, `${where}, ${name}`) } as ScriptStep);
    } else throw wrong(where, `there is no step "${name}"`);
  }
  return {
    when: record(when ?? {}, `${at}, when`, conditions),
    times,
    manners: collected as Manners,
    steps: inOrder,
  };
}

/** `- ghost`, or `- tool: ls`. */
function nameAndArgument(entry: unknown, at: string): [string, unknown] {
  if (typeof entry === "string") return [entry, true];
  const pairs = isRecord(entry) ? Object.entries(entry) : [];
  const [pair] = pairs;
  if (pair && pairs.length === 1) return [pair[0], pair[1] ?? true];
  throw wrong(at, "is neither a name nor one name with its value");
}

type Check<T> = (value: unknown, at: string) => T;
type Value<C> = C extends Check<infer T> ? T : never;
type Checks = Readonly<Record<string, Check<unknown>>>;
type Checked<C extends Checks> = { readonly [Name in keyof C]: Value<C[Name]> };

function record<C extends Checks>(value: unknown, at: string, checks: C): Checked<C> {
  if (!isRecord(value)) throw wrong(at, "is not a mapping");
  const stray = Object.keys(value).find((name) => !Object.hasOwn(checks, name));
  if (stray !== undefined) throw wrong(at, `there is no "${stray}"`);
  const entries = Object.entries(checks);
  return Object.fromEntries(
    entries.map(([name, check]) => [name, check(value[name], `${at}, ${name}`)]),
  ) as Checked<C>;
}

const flag: Check<true> = (value, at) => {
  if (value !== true) throw wrong(at, "takes no value");
  return true;
};
const boolean: Check<boolean> = (value, at) => {
  if (typeof value !== "boolean") throw wrong(at, "is neither true nor false");
  return value;
};
const text: Check<string> = (value, at) => {
  if (typeof value !== "string" || value === "") throw wrong(at, "is not a text");
  return value;
};
const words: Check<string> = (value, at) => {
  if (typeof value !== "string") throw wrong(at, "is not a text");
  return value;
};
const count: Check<number> = (value, at) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw wrong(at, "is not a whole number");
  return value as number;
};
const exitCode: Check<number> = (value, at) => {
  if (count(value, at) > 255) throw wrong(at, "is not an exit code");
  return value as number;
};
const signal: Check<NodeJS.Signals> = (value, at) => {
  if (value === true) return "SIGKILL";
  return oneOf(Object.keys(constants.signals) as NodeJS.Signals[])(value, at);
};
const oneOf =
  <T extends string>(words: readonly T[]): Check<T> =>
  (value, at) => {
    const word = words.find((each) => each === value);
    if (word === undefined)
      throw wrong(at, words.length > 9 ? "is not known" : `is not one of ${words.join(", ")}`);
    return word;
  };
const list =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw wrong(at, "is not a list");
    return value.map((entry) => check(entry, at));
  };
const mapping =
  <C extends Checks>(checks: C): Check<Checked<C>> =>
  (value, at) =>
    record(value, at, checks);
const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : check(value, at);
const anything: Check<unknown> = (value) => value;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(at: string, what: string): Error {
  return new Error(`${at}: ${what}`);
}

const topLevel = {
  product: optional(text),
  version: optional(text),
  account: optional(text),
  abilities: optional(list(oneOf<Ability>(["resume", "model-on-resume"]))),
  rules: optional(list(anything)),
};

const ruleFields = {
  when: optional(anything),
  times: optional(count),
  do: optional(list(anything)),
};

const conditions = {
  launch: optional(count),
  resume: optional(boolean),
  compact: optional(boolean),
  prompt: optional(text),
  model: optional(text),
};

const manners = {
  "answer-id": text,
  "echo-credential": text,
  "new-session": flag,
  "late-id": flag,
  "no-id": flag,
  replay: flag,
  ghost: flag,
  forget: count,
  compact: flag,
  say: words,
  "overflow-as-success": flag,
  split: flag,
  "ignore-sigterm": flag,
};

/** The points that every turn passes, in this order; as a step, a name means "continue until there". */
export const points = ["session", "model", "answer", "save", "result"] as const;
export type Point = (typeof points)[number];

const steps = {
  session: flag,
  model: flag,
  answer: flag,
  save: flag,
  result: flag,
  refuse: flag,
  "in-use": flag,
  "refuse-as-success": flag,
  fail: mapping({
    kind: optional(oneOf(failureKinds)),
    status: optional(count),
    message: optional(text),
    resetAt: optional(count),
  }),
  tool: text,
  ask: text,
  "ask-several": list(mapping({ question: text, options: optional(list(text)) })),
  "ask-permission": text,
  "tool-child": mapping({
    file: text,
    seconds: count,
    "own-group": optional(boolean),
    "ignore-sigterm": optional(boolean),
  }),
  "wait-for": text,
  touch: text,
  hang: flag,
  crash: signal,
  exit: exitCode,
  stderr: text,
  noise: flag,
  "big-line": count,
  "bad-utf8": flag,
} satisfies Checks & Record<Point, typeof flag>;
