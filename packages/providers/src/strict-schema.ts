/** The JSON Schemas that OpenAI's services take as strict ones: for codex (0.166) and in `response_format`. */

import type { JsonSchema } from "@reprise/core/session/turn";
import { isMadeOf } from "./schema.ts";

/** Keywords that the service accepts in a strict schema; any other fails the whole turn with a 400. */
const words = new Set([
  ...["type", "enum", "const", "title", "description", "$ref", "$defs", "definitions"],
  ...["properties", "required", "additionalProperties", "items", "minItems", "maxItems"],
  ...["pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["multipleOf", "anyOf"],
]);

export function isStrictSchema({ $schema: _, ...schema }: JsonSchema): boolean {
  return schema.type === "object" && isMadeOf(schema, words, isStrict);
}

/** A strict object requires all of its properties and allows no others. */
function isStrict({ type, properties, required, additionalProperties }: JsonSchema): boolean {
  if (type !== "object" && properties === undefined) return true;
  const needed = Array.isArray(required) ? required : [];
  return (
    additionalProperties === false &&
    Object.keys((properties as object) ?? {}).every((name) => needed.includes(name))
  );
}
