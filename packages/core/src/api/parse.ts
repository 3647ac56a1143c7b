/** Checks input against a schema and says in one sentence what is wrong with it. */

import type { z } from "zod";
import { UsageError } from "../errors/errors.ts";

export function parse<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw new UsageError(
    "bad-input",
    `${where === "" ? "The input" : `"${where}"`} ${sentence(issue?.message ?? "is not valid")}`,
    "Correct it and try again; nothing was changed.",
  );
}

function sentence(message: string): string {
  const text = /^(is|has|must|needs)\b/.test(message) ? message : `is not valid: ${message}`;
  return text.endsWith(".") ? text : `${text}.`;
}
