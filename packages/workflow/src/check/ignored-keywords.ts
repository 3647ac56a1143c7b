/** Finds keywords of an outputSchema that no answer is checked against: misspelled ones, and those without their type. */

import { type Finding, warning } from "../finding.ts";
import type { Near } from "../findings.ts";
import type { AgentNode } from "../graph.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Keywords that are checked only beside their type. */
const typed: Readonly<Record<string, string>> = {
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  format: "string",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  items: "array",
  prefixItems: "array",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
  contains: "array",
  minContains: "array",
  maxContains: "array",
  properties: "object",
  required: "object",
  additionalProperties: "object",
  patternProperties: "object",
  propertyNames: "object",
  minProperties: "object",
  maxProperties: "object",
};

/** Keywords that are checked everywhere, say nothing about a value, or are refused by name. */
const others = [
  ...["type", "enum", "const", "anyOf", "oneOf", "allOf", "not", "nullable", "$ref", "$defs"],
  ...["definitions", "$schema", "$id", "$anchor", "$comment", "title", "description", "default"],
  ...["examples", "deprecated", "readOnly", "writeOnly", "if", "then", "else"],
  ...["dependentSchemas", "dependentRequired", "unevaluatedItems", "unevaluatedProperties"],
  ...["contentEncoding", "contentMediaType", "contentSchema"],
];
const known = [...Object.keys(typed), ...others];

export function ignoredKeywords(node: AgentNode, near: Near): Finding[] {
  const { id, outputSchema } = node;
  if (outputSchema === null) return [];
  const ignored = (message: string, hint: string) =>
    warning(node, "ignored-keyword", `Node "${id}": ${message}`, hint);
  return schemasIn(outputSchema).flatMap((schema) =>
    Object.keys(schema).flatMap((keyword) => {
      // Extensions of other programs begin so.
      if (keyword.startsWith("x-")) return [];
      if (!known.includes(keyword))
        return ignored(
          `The outputSchema has the keyword "${keyword}", which checks nothing.`,
          near(keyword, known, "Remove it."),
        );
      const type = Object.hasOwn(typed, keyword) ? typed[keyword]! : null;
      if (type === null || hasType(schema, type)) return [];
      return ignored(
        `The outputSchema has "${keyword}" without its type, so it checks nothing.`,
        `Write type: ${type} beside it.`,
      );
    }),
  );
}

function hasType({ type }: Schema, wanted: string): boolean {
  const types = Array.isArray(type) ? type : [type];
  return types.includes(wanted) || (wanted === "number" && types.includes("integer"));
}

/** The schema and all schemas inside it. */
function schemasIn(schema: unknown): Schema[] {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return [];
  const own = schema as Schema;
  const named = ["properties", "patternProperties", "$defs", "definitions"];
  const single = ["items", "additionalProperties", "contains", "propertyNames", "not"];
  const listed = ["prefixItems", "anyOf", "oneOf", "allOf", "items"];
  return [
    own,
    ...named.flatMap((name) => Object.values((own[name] ?? {}) as object).flatMap(schemasIn)),
    ...single.flatMap((name) => schemasIn(own[name])),
    ...listed.flatMap((name) => (Array.isArray(own[name]) ? own[name].flatMap(schemasIn) : [])),
  ];
}
