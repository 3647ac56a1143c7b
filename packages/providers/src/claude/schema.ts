/**
 * Structured output of claude (2.1.325): `--json-schema` adds a tool of this name, and the model answers by calling it.
 * Claude validates the call itself, with at most five attempts.
 */

import type { JsonSchema } from "@reprise/core/session/turn";
import { isMadeOf, schemaText } from "../schema.ts";

export const answerTool = "StructuredOutput";

/** The end of a turn in which no call fitted the schema; its last call still counts as the answer. */
export const neverFitted = "structured_output_retry_exhausted";

/** It is an argument on the command line, where Linux allows 128 KiB. */
const longest = 96 * 1024;

/** Any other keyword makes claude exit with "strict mode: unknown keyword" before it sends anything. */
const words = new Set([
  ...["type", "enum", "const", "title", "description", "default", "examples", "$ref"],
  ...["properties", "required", "additionalProperties", "minProperties", "maxProperties"],
  ...["items", "minItems", "maxItems", "uniqueItems"],
  ...["minLength", "maxLength", "pattern"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["anyOf", "oneOf", "allOf", "not", "$defs", "definitions"],
]);

/** A tool's input is an object, so the schema must be one of an object. */
export function takesSchema({ $schema: _, ...schema }: JsonSchema): boolean {
  const fits = schema.type === "object" && isMadeOf(schema, words);
  return fits && Buffer.byteLength(schemaText(schema)) <= longest;
}
