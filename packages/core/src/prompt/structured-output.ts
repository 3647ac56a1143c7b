/**
 * Answers that must be JSON of a given schema: how to ask for one, find it in the agent's text, check it,
 * and ask again.
 */

import { z } from "zod";
import { UsageError } from "../errors/errors.ts";
import type { JsonSchema } from "../session/turn.ts";

export type StructuredAnswer =
  | { readonly value: unknown }
  /** What does not conform, each in a few words. */
  | { readonly problems: readonly string[] };

/** A longer list does not help the agent. */
const maxProblems = 10;

/** @throws UsageError `bad-schema` for a schema that answers cannot be checked with. */
export function checkSchema(schema: JsonSchema): void {
  validatorOf(schema);
}

/** For an agent whose own program does not take a schema. */
export function schemaInstructions(schema: JsonSchema): string {
  return `Reply with only JSON that conforms to this JSON Schema, no other text:\n${JSON.stringify(schema)}`;
}

/** Finds the JSON in an answer: the whole text, a fenced block, or the text from the first to the last brace. */
export function readStructured(text: string, schema: JsonSchema): StructuredAnswer {
  const validator = validatorOf(schema);
  let first: readonly string[] | null = null;
  for (const candidate of candidates(text)) {
    const parsed = parseJson(candidate);
    if (parsed === undefined) continue;
    const { error } = validator.safeParse(parsed);
    if (error === undefined) return { value: parsed };
    first ??= error.issues.slice(0, maxProblems).map(problem);
  }
  return { problems: first ?? ["it contains no JSON"] };
}

export function askAgain(problems: readonly string[]): string {
  return `Your last answer does not conform to the schema: ${problems.join("; ")}. Reply again with the whole answer as JSON only.`;
}

function validatorOf(schema: JsonSchema): z.ZodType {
  try {
    // The version of the schema language is not a constraint.
    const { $schema: _, ...rest } = schema;
    return z.fromJSONSchema(rest);
  } catch (cause) {
    throw new UsageError(
      "bad-schema",
      `The outputSchema cannot be used: ${(cause as Error).message}.`,
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
