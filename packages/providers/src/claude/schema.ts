/**
 * Structured output of claude (2.1.325): `--json-schema` adds a tool of this name, and calling it is the
 * answer. The call is checked by claude itself, which asks five times at most.
 */

import type { JsonSchema } from "@reprise/core/session/turn";
import { isMadeOf, schemaText } from "../schema.ts";

export const answerTool = "StructuredOutput";

/** How a turn ends whose calls never fitted; the last of them is the answer all the same. */
export const neverFitted = "structured_output_retry_exhausted";

/** It stands on the command line, where Linux takes 128 KiB for one word. */
const longest = 96 * 1024;

/** Another word ends claude with "strict mode: unknown keyword" before anything is sent. */
const words = new Set([
  ...["type", "enum", "const", "title", "description", "default", "examples", "$ref"],
  ...["properties", "required", "additionalProperties", "minProperties", "maxProperties"],
  ...["items", "minItems", "maxItems", "uniqueItems"],
  ...["minLength", "maxLength", "pattern"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["anyOf", "oneOf", "allOf", "not", "$defs", "definitions"],
]);

/** The input of a tool is an object, so the model can be asked for nothing else. */
export function takesSchema({ $schema: _, ...schema }: JsonSchema): boolean {
  const fits = schema.type === "object" && isMadeOf(schema, words);
  return fits && Buffer.byteLength(schemaText(schema)) <= longest;
}
