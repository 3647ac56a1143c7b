/** Structured output of a Chat Completions service: `response_format` with a strict schema. */

import type { JsonSchema } from "@reprise/core/session/turn";
import { takesSchema as isStrictSchema } from "../codex/schema.ts";

/** The same service is behind codex, with the same rules for a strict schema. */
export function takesSchema(schema: JsonSchema): boolean {
  return isStrictSchema(schema);
}
