/** Statements with numbered parameters, as PostgreSQL wants them, made from statements with `:named` ones. */

import type { Parameters, Value } from "../verbs/db.ts";
import { storedText } from "./text.ts";

export interface Numbered {
  /** The name under which the server keeps the prepared statement. */
  readonly name: string;
  readonly text: string;
  readonly names: readonly string[];
}

const known = new Map<string, Numbered>();

/** No literal in a statement may contain `:name`; a cast (`::text`) is left alone. */
export function numbered(sql: string): Numbered {
  let found = known.get(sql);
  if (found === undefined) {
    const names: string[] = [];
    const text = sql.replace(/(?<!:):([a-z]\w*)/gi, (_, name: string) => {
      if (!names.includes(name)) names.push(name);
      return `$${names.indexOf(name) + 1}`;
    });
    found = { name: `s${known.size}`, text, names };
    known.set(sql, found);
  }
  return found;
}

export function valuesOf(names: readonly string[], parameters: Parameters): Value[] {
  return names.map((name) => {
    const value = parameters[name] ?? null;
    return typeof value === "string" ? storedText(value) : value;
  });
}
