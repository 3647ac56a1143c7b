/**
 * Answers that must be JSON of a given shape: what an agent is told, what of its text is taken for the
 * answer, what is wrong with that, and how it is asked again.
 */

import { z } from "zod";
import { UsageError } from "../errors/errors.ts";
import type { JsonSchema } from "../session/turn.ts";

export type StructuredAnswer =
  | { readonly value: unknown }
  /** What does not fit, each in a few words. */
  | { readonly problems: readonly string[] };

/** More than this does not help anybody to mend it. */
const mostProblems = 10;

/** @throws UsageError `bad-schema` for one that answers can not be checked with. */
export function checkSchema(schema: JsonSchema): void {
  validatorOf(schema);
}

/** For an agent that is not told by its own program. */
export function schemaInstructions(schema: JsonSchema): string {
  return `End with JSON alone as your answer, without any other words, that fits this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** The JSON in an answer: all of it, a fenced block of it, or what stands between its first and last brace. */
export function readStructured(text: string, schema: JsonSchema): StructuredAnswer {
  const validator = validatorOf(schema);
  let first: readonly string[] | null = null;
  for (const candidate of candidates(text)) {
    const parsed = parseJson(candidate);
    if (parsed === undefined) continue;
    const { error } = validator.safeParse(parsed);
    if (error === undefined) return { value: parsed };
    first ??= error.issues.slice(0, mostProblems).map(problem);
  }
  return { problems: first ?? ["there is no JSON in it"] };
}

export function askAgain(problems: readonly string[]): string {
  return `Your last answer does not fit: ${problems.join("; ")}. Give the whole answer again, as JSON alone, so that it fits.`;
}

function validatorOf(schema: JsonSchema): z.ZodType {
  try {
    // Its own version is no part of what it demands.
    const { $schema: _, ...rest } = schema;
    return z.fromJSONSchema(rest);
  } catch (cause) {
    throw new UsageError(
      "bad-schema",
      `The outputSchema can not be used: ${(cause as Error).message}.`,
      "Use types, properties, items, enum, anyOf and the usual limits of JSON Schema.",
      { cause },
    );
  }
}

function candidates(text: string): string[] {
  const fenced = [...text.matchAll(/^```\w*[ \t]*\n(.*?)^```[ \t]*$/gms)].map(([, body]) => body!);
  const braces = [/\{.*\}/s, /\[.*\]/s].flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
  return [text, ...fenced.reverse(), ...braces];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problem({ path, message }: { path: readonly PropertyKey[]; message: string }): string {
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}
