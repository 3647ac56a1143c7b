/** Checks whether an agent's program supports a JSON Schema. */

import type { JsonSchema } from "@reprise/core/session/turn";

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = ["items", "additionalProperties", "not"];
const several = ["anyOf", "oneOf", "allOf"];
const named = ["properties", "$defs", "definitions"];

/** Whether the schema and its subschemas use only these keywords, and each passes the test. */
export function isMadeOf(
  schema: unknown,
  words: ReadonlySet<string>,
  fits: (schema: JsonSchema) => boolean = () => true,
): boolean {
  if (typeof schema === "boolean") return true;
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return false;
  const part = (inner: unknown) => isMadeOf(inner, words, fits);
  return (
    fits(schema as JsonSchema) &&
    Object.entries(schema).every(([word, value]) => {
      if (!words.has(word)) return false;
      if (single.includes(word)) return part(value);
      if (several.includes(word)) return Array.isArray(value) && value.every(part);
      if (named.includes(word)) return Object.values(value ?? {}).every(part);
      return true;
    })
  );
}

/** Without `$schema`: some programs refuse it, and none needs it. */
export function schemaText({ $schema: _, ...schema }: JsonSchema): string {
  return JSON.stringify(schema);
}
