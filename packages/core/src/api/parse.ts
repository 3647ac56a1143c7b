/** Makes schemas when they are first asked for, checks input against them, and says in one sentence what is wrong with it. */

import type { z } from "zod";
import { UsageError } from "../errors/errors.ts";

export function parse<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    "bad-input",
    sentence(parsed.error.issues[0]),
    "Correct it and try again; nothing was changed.",
  );
}

function sentence(issue: z.core.$ZodIssue | undefined): string {
  const { path = [], message = "is not valid" } = issue ?? {};
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const where = [...path, ...unknown].join(".").slice(0, 100);
  const text = unknown.length > 0 ? "is not known here" : (plain(issue) ?? message);
  const said = /^(is|has|must|needs)\b/.test(text) ? text : `is not valid: ${text}`;
  return `${where === "" ? "The input" : `"${where}"`} ${said}${said.endsWith(".") ? "" : "."}`;
}

/** Plainer words than the schema's for the most frequent mistakes; null for others. */
function plain(issue: z.core.$ZodIssue | undefined): string | null {
  if (issue?.code === "invalid_type" && /received undefined$/.test(issue.message))
    return "is missing";
  if (issue?.code === "invalid_type" && /received NaN$/.test(issue.message))
    return "is not a number";
  if (issue?.code === "too_small" && issue.origin === "string" && issue.minimum === 1)
    return "is empty";
  return null;
}

/** Makes a value when it is first asked for: one start of a program uses few of the schemas. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
