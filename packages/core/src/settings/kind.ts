/** The kinds of values that settings have: how each is parsed, written and checked. */

import { z } from "zod";
import { verb } from "../errors/hint.ts";
import { suggest } from "../errors/suggestion.ts";
import { isPlainCommand } from "../session/access.ts";
import { formatDuration, parseDuration } from "../text/duration.ts";

export interface Kind<T> {
  readonly schema: z.ZodType<T>;
  /** As it is written in a file. */
  write(value: T): string | number;
  /** The allowed words, if there are only a few. */
  readonly choices?: readonly string[];
  /** One sentence that says what to write instead of `text`. */
  hint(text: string): string;
}

export function choice<const V extends string>(...values: V[]): Kind<V> {
  return {
    schema: z.enum(values) as unknown as z.ZodType<V>,
    write: (value) => value,
    choices: values,
    hint: (text) => suggest(text, values),
  };
}

/** True or false, or the word for it. */
export const truth: Kind<boolean> = {
  schema: z.union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")]),
  write: (value) => String(value),
  choices: ["true", "false"],
  hint: (text) => suggest(text, ["true", "false"]),
};

/** Milliseconds. */
export const duration: Kind<number> = {
  schema: z.string().transform(parseDuration).pipe(z.number()),
  write: formatDuration,
  hint: () => "Write a duration such as 90s, 15m, 12h or 30d.",
};

/** A number, or its digits, as flags and the environment give it. */
export const count: Kind<number> = {
  schema: z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
    .pipe(z.int().positive()),
  write: (value) => value,
  hint: () => "Write a whole number above 0.",
};

/** The address of a web server: scheme, host and port alone. */
export const webAddress: Kind<string> = {
  schema: z
    .string()
    .regex(/^https?:\/\/([a-z0-9-]+\.)*[a-z0-9-]+(:\d{1,5})?\/?$/i)
    .transform((text) =>
      text
        .toLowerCase()
        .replace(/\/$/, "")
        // A browser omits the default port.
        .replace(/^(https:.*):443$|^(http:.*):80$/, "$1$2"),
    ),
  write: (value) => value,
  hint: () => "Write an address without a path, such as https://reprise.example.com.",
};

/** The name of an agent. */
export const agentName: Kind<string> = {
  schema: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  write: (value) => value,
  hint: () => `Write the name of an agent, as ${verb("agents.list")} shows it.`,
};

/** An hour of the day. */
export const hour: Kind<number> = {
  schema: z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
    .pipe(z.int().min(0).max(23)),
  write: (value) => value,
  hint: () => "Write an hour from 0 to 23.",
};

/** `null` is written as `word`. */
export function orNone<T>(kind: Kind<T>, word = "none"): Kind<T | null> {
  return {
    schema: z.union([z.literal(word).transform(() => null), kind.schema]),
    write: (value) => (value === null ? word : kind.write(value)),
    hint: (text) => kind.hint(text).replace(/\.$/, `, or "${word}".`),
  };
}

/** Commands, each exactly as it is run; also as one text with commas between them, or `none`. */
export const commands: Kind<readonly string[]> = {
  schema: z.preprocess(
    (value) => (typeof value === "string" ? listOf(value) : value),
    z.array(z.string().trim().refine(isPlainCommand)),
  ),
  write: (value) => value.join(", ") || "none",
  hint: () =>
    'Write commands as they are run, with a comma between them and without shell operators, as in "npm test, git diff", or "none".',
};

function listOf(text: string): string[] {
  return text === "none" ? [] : text.split(",").map((each) => each.trim());
}

/** Files or packages of modules; also as one text with commas between them, or `none`. */
export const modules: Kind<readonly string[]> = {
  schema: z.preprocess(
    (value) => (typeof value === "string" ? listOf(value) : value),
    z.array(z.string().trim().min(1)),
  ),
  write: (value) => value.join(", ") || "none",
  hint: () => 'Write a list of files and packages, such as ["./my-provider.js"], or "none".',
};

/** A value for each of several names, also as the text `name=value,name=value`, or `none`. */
export function byName<V extends string>(
  values: Kind<V>,
  names?: readonly string[],
): Kind<Readonly<Record<string, V>>> {
  const known = z.string().refine((name) => name !== "" && (names?.includes(name) ?? true));
  const asEntries = (value: unknown) => (typeof value === "string" ? entriesOf(value) : value);
  return {
    schema: z.preprocess(asEntries, z.record(known, values.schema)),
    write: (value) =>
      Object.entries(value)
        .map((entry) => entry.join("="))
        .join(",") || "none",
    hint: () =>
      `Write name=value, with a comma between several, or "none"${names ? `; the names are ${names.join(", ")}` : ""}.`,
  };
}

function entriesOf(text: string): Record<string, string> {
  if (text === "none") return {};
  return Object.fromEntries(
    text.split(",").map((entry) => {
      const [name = "", value = ""] = entry.split("=", 2);
      return [name.trim(), value.trim()];
    }),
  );
}
