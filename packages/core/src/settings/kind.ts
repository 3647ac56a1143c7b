/** The kinds of values that settings have: how each is read, how it is written, and what it may be. */

import { z } from "zod";
import { suggest } from "../errors/suggestion.ts";
import { formatDuration, parseDuration } from "./duration.ts";

export interface Kind<T> {
  readonly schema: z.ZodType<T>;
  /** As a person would write it. */
  write(value: T): string | number;
  /** One sentence that says what to write instead of `text`. */
  hint(text: string): string;
}

export function choice<const V extends string>(...values: V[]): Kind<V> {
  return {
    schema: z.enum(values) as unknown as z.ZodType<V>,
    write: (value) => value,
    hint: (text) => suggest(text, values),
  };
}

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

export function orNone<T>(kind: Kind<T>): Kind<T | null> {
  return {
    schema: z.union([z.literal("none").transform(() => null), kind.schema]),
    write: (value) => (value === null ? "none" : kind.write(value)),
    hint: (text) => kind.hint(text).replace(/\.$/, ', or "none".'),
  };
}
