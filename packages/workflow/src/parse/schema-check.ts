/** Checks a part of a workflow file against its schema, and reports errors with their position. */

import type { z } from "zod";
import type { FindingReport } from "../findings.ts";
import type { Path, YamlSource } from "./source.ts";

export interface FileReading {
  readonly source: YamlSource;
  readonly report: FindingReport;
}

/** The parsed value; null if it is invalid. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: Path,
  { source, report }: FileReading,
): z.output<Schema> | null {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues) tell(issue, schema, path, { source, report });
  return null;
}

/** The value without its invalid parts, each of which is reported; null if the rest is invalid too. */
export function salvaged<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: Path,
  reading: FileReading,
): z.output<Schema> | null {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const bad: PropertyKey[][] = [];
  for (const issue of result.error.issues) {
    tell(issue, schema, path, reading);
    for (const each of badPaths(issue)) bad.push(each);
  }
  const rest = without(value, bad);
  const again = schema.safeParse(rest);
  return again.success ? again.data : null;
}

function badPaths(issue: z.core.$ZodIssue): PropertyKey[][] {
  const meant = meantIssues(issue);
  const inner = meant
    ? meant.flatMap(badPaths)
    : issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => [key])
      : [[]];
  return inner.map((path) => [...issue.path, ...path]);
}

/** A list is removed as a whole, because its items would change their positions. Each mapping is copied only once. */
function without(value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown {
  if (typeof value !== "object" || value === null || paths.length === 0) return value;
  const rest: Part = { ...value };
  const inner = new Map<PropertyKey, PropertyKey[][]>();
  for (const [key, ...path] of paths) {
    if (key === undefined || !(key in value)) continue;
    const isWhole = path.length === 0 || typeof path[0] === "number";
    if (isWhole) delete rest[key];
    else
      inner
        .set(key, inner.get(key) ?? [])
        .get(key)
        ?.push(path);
  }
  for (const [key, within] of inner)
    if (Object.hasOwn(rest, key)) rest[key] = without(rest[key], within);
  return rest;
}

type Part = Record<PropertyKey, unknown>;

function tell(issue: z.core.$ZodIssue, schema: z.ZodType, path: Path, reading: FileReading): void {
  const inner = issue.path.filter((step) => typeof step !== "symbol");
  const place = [...path, ...inner];
  const meant = meantIssues(issue);
  if (meant) {
    for (const each of meant)
      tell({ ...each, path: [...issue.path, ...each.path] }, schema, path, reading);
  } else if (issue.code === "unrecognized_keys") {
    const known = Object.keys(shapeAt(schema, inner) ?? {});
    for (const key of issue.keys) tellUnknownKey([...place, key], known, reading);
  } else if (issue.input === undefined) tellMissing(issue, place, reading);
  else tellBadValue(issue, place, reading);
}

/** If a value may be written in several ways, a mapping or a list shows which one was meant, and the error is
 * inside it; null if it matches none of them.
 */
function meantIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] | null {
  if (issue.code !== "invalid_union" || typeof issue.input !== "object") return null;
  const ways = issue.errors.filter((issues) => !issues.some(isOtherKind));
  return ways.length === 1 ? ways[0]! : null;
}

/** The value has a different type than this way of writing it. */
function isOtherKind(issue: z.core.$ZodIssue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === "invalid_union") return meantIssues(issue) === null;
  return issue.code === "invalid_type" || issue.code === "invalid_value";
}

function tellUnknownKey(
  path: Path,
  known: readonly string[],
  { source, report }: FileReading,
): void {
  const key = String(path.at(-1));
  report.error(
    "unknown-key",
    source.keyAt(path),
    `"${key}" is not a known key here.`,
    report.near(key, known, `Use one of: ${known.join(", ")}.`),
  );
}

function tellMissing(issue: z.core.$ZodIssue, path: Path, { source, report }: FileReading): void {
  const name = nameOf(path);
  const holder = source.at(path.slice(0, -1));
  const hint =
    issue.code === "invalid_type"
      ? `Write ${name}: with ${kindOf(issue.expected)}.`
      : `It ${issue.message}.`;
  report.error("missing-key", holder, `"${name}" is missing.`, hint);
}

function tellBadValue(issue: z.core.$ZodIssue, path: Path, { source, report }: FileReading): void {
  const name = nameOf(path);
  if (issue.code === "invalid_value" && typeof issue.input === "string") {
    const values = issue.values.map(String);
    report.error(
      "bad-value",
      source.at(path),
      `"${name}" cannot be "${issue.input}".`,
      report.near(issue.input, values, `Use one of: ${values.join(", ")}.`),
    );
    return;
  }
  const [message, hint] = wordsFor(issue);
  report.error("bad-value", source.at(path), `"${name}" ${message}.`, hint);
}

function wordsFor(issue: z.core.$ZodIssue): [message: string, hint: string] {
  switch (issue.code) {
    case "invalid_type":
      return [`must be ${kindOf(issue.expected)}`, `It is ${kindOf(typeOf(issue.input))} now.`];
    case "invalid_value":
      return ["has an invalid value", `Use one of: ${issue.values.join(", ")}.`];
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? ["must not be empty", "Write at least one, or remove it."]
        : [
            `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`,
            "Write a larger number.",
          ];
    case "too_big":
      return [
        `must be ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}`,
        "Write a smaller number.",
      ];
    default:
      return [issue.message, "Correct it."];
  }
}

/** The last key of a path that is a word: `inputs` for its third item. */
function nameOf(path: Path): string {
  return path.findLast((step) => typeof step === "string") ?? "The file";
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
  null: "empty",
  undefined: "missing",
};

function kindOf(type: string): string {
  return kinds[type] ?? type;
}

/** The keys of a mapping inside the schema; null if it has none. */
function shapeAt(schema: z.ZodType, path: Path): Readonly<Record<string, z.ZodType>> | null {
  let found: z.ZodType | undefined = schema;
  for (const step of path) {
    const definition: Definition = definitionOf(found);
    found = definition.shape?.[String(step)] ?? definition.element ?? definition.valueType;
    if (!found) return null;
  }
  return definitionOf(found).shape ?? null;
}

interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

function definitionOf(schema: z.ZodType): Definition {
  const definition = schema.def as Definition;
  if (definition.innerType) return definitionOf(definition.innerType);
  const mapping = definition.options?.find((option) => definitionOf(option).shape);
  return mapping ? definitionOf(mapping) : definition;
}

/** Warns about keys that are close to one of the schema's, at any depth. Files also carry keys for drawing,
 * so an unknown key is allowed, but a misspelled one is not.
 */
export function checkSpelling(
  schema: z.ZodType,
  value: unknown,
  path: Path,
  reading: FileReading,
): void {
  if (typeof value !== "object" || value === null) return;
  const { shape, element, valueType } = definitionOf(schema);
  if (!shape && !element && !valueType) return;
  const known = Object.keys(shape ?? {});
  for (const [key, inner] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(key) : key];
    const own = Object.hasOwn(shape ?? {}, key) ? shape?.[key] : undefined;
    const part = own ?? (Array.isArray(value) ? element : valueType);
    if (part) checkSpelling(part, inner, place, reading);
    else if (!drawingKeys.has(key)) tellNearKey(place, known, reading);
  }
}

function tellNearKey(path: Path, known: readonly string[], { source, report }: FileReading): void {
  const key = String(path.at(-1));
  const hint = report.near(key, known, "");
  if (hint !== "")
    report.warn("unknown-key", source.keyAt(path), `"${key}" is not a known key here.`, hint);
}

/** Keys that graph editors add. */
const drawingKeys: ReadonlySet<string> = new Set([
  "position",
  "positionAbsolute",
  "style",
  "extent",
  "width",
  "height",
  "measured",
  "selected",
  "dragging",
  "zIndex",
  "viewport",
  "label",
  "labels",
  "icon",
  "color",
  "type",
  "data",
  "animated",
  "markerEnd",
  "cron",
]);
