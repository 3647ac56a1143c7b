/** Checks the types of values when they arrive at ports. */

import type { PortType } from "../graph.ts";
import { asText } from "../template.ts";

export type Fit =
  | { readonly fits: true; readonly value: unknown; readonly warning?: string }
  | { readonly fits: false };

/** Null is always valid; the texts "true" and "false" are read as booleans. */
export function fit(type: PortType, value: unknown): Fit {
  if (value === null || type === "any" || type === "json") return { fits: true, value };
  if (typeof value === type) return { fits: true, value };
  if (type === "boolean" && (value === "true" || value === "false"))
    return {
      fits: true,
      value: value === "true",
      warning: `the text "${value}" was read as ${value}`,
    };
  return { fits: false };
}

/** For messages. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "a list";
  return (
    { string: "a text", number: "a number", boolean: "true or false" }[typeof value as string] ??
    "an object"
  );
}

/** The part of a dock's object that an edge uses: a field, or for a prompt a suitable text. */
export function select(wanted: "sessionId" | "prompt" | null, value: unknown): unknown {
  if (wanted === null || !isRecord(value)) return value;
  return wanted === "sessionId" ? (value.sessionId ?? null) : promptIn(value);
}

/** `prompt`, else `feedback`, else the only other text that is not a session's key. */
export function promptIn(value: Readonly<Record<string, unknown>>): string | null {
  for (const name of ["prompt", "feedback"]) {
    const text = value[name];
    if (text !== null && text !== undefined) return asText(text);
  }
  const texts = Object.entries(value).filter(
    ([name, text]) => name !== "sessionId" && typeof text === "string",
  );
  return texts.length === 1 ? asText(texts[0]?.[1]) : null;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
