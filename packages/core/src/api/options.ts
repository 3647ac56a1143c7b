/** Checks the options of a call: an unknown name, or a value of the wrong kind, is an error and not ignored. */

import { UsageError } from "../errors/errors.ts";
import { suggest } from "../errors/suggestion.ts";

/** The kinds of values that options have, each with its name in messages. */
const kinds = {
  string: { is: (value: unknown) => typeof value === "string", words: "a string" },
  number: { is: (value: unknown) => typeof value === "number", words: "a number" },
  boolean: { is: (value: unknown) => typeof value === "boolean", words: "a boolean" },
  function: { is: (value: unknown) => typeof value === "function", words: "a function" },
  object: { is: isPlainObject, words: "an object" },
  array: { is: (value: unknown) => Array.isArray(value), words: "an array" },
  signal: { is: isSignal, words: "an AbortSignal" },
} as const;

type OptionKind = keyof typeof kinds;

/** The options of a call by their names; undefined always means that an option is not given. */
export type OptionKinds<Options> = Readonly<Record<keyof Options & string, OptionKind>>;

/** @throws UsageError `bad-option` */
export function checkOptions(call: string, options: unknown, known: OptionKinds<object>): void {
  if (options === undefined) return;
  if (!isPlainObject(options))
    throw new UsageError(
      "bad-option",
      `The options of ${call}() are not an object.`,
      `${call}() takes: ${Object.keys(known).join(", ")}.`,
    );
  for (const [name, value] of Object.entries(options)) {
    const kind = (known as Record<string, OptionKind | undefined>)[name];
    if (kind === undefined)
      throw new UsageError(
        "bad-option",
        `"${name}" is not an option of ${call}().`,
        suggest(name, Object.keys(known)),
      );
    if (value !== undefined && value !== null && !kinds[kind].is(value))
      throw new UsageError(
        "bad-option",
        `The option "${name}" of ${call}() is not ${kinds[kind].words}.`,
        "Correct it and try again; nothing was changed.",
      );
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A signal of another realm counts too, so the class is not compared. */
function isSignal(value: unknown): boolean {
  return isPlainObject(value) && "aborted" in value && "addEventListener" in value;
}
