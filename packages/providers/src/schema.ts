/** What of JSON Schema an agent's own program understands, so that it is given no other. */

import type { JsonSchema } from "@reprise/core/session/turn";

/** Words whose value is a schema, a list of them, or schemas by name. */
const single = ["items", "additionalProperties", "not"];
const several = ["anyOf", "oneOf", "allOf"];
const named = ["properties", "$defs", "definitions"];

/** The schema and all in it have none but these words, and each passes the test. */
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

/** Without the mark of its version: some programs refuse it, and none needs it. */
export function schemaText({ $schema: _, ...schema }: JsonSchema): string {
  return JSON.stringify(schema);
}
