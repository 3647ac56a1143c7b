/** A text with placeholders, `{{ inputs.task }}`, parsed once and filled any number of times. */

import { inert } from "@reprise/core/prompt/inert";

export interface Template {
  /** Texts and the names between them, in order. */
  readonly parts: readonly (string | TemplatePlace)[];
}

/**
 * A name that stands for a value: an input port of the node (`inputs.task`, `input` for the port of
 * that name, or the hidden port that a `{{ coder.output }}` was turned into), or a fact of the run:
 * `id`, `inputs.<name>`, `iteration`.
 */
export interface TemplatePlace {
  readonly from: "input" | "run";
  readonly name: string;
}

/** The values for the placeholders of a node's templates. */
export interface TemplateValues {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly run: {
    readonly id: string;
    readonly inputs: Readonly<Record<string, unknown>>;
    /** The iteration of the innermost loop; null outside of one. */
    readonly iteration: number | null;
  };
}

/** A placeholder, or `\{{`, which means two literal braces. */
const placePattern = /\\\{\{|\{\{\s*([^{}]*?)\s*\}\}/g;

/** A name as it is written between braces, and the whole of it with its braces. */
export interface WrittenPlace {
  readonly name: string;
  readonly text: string;
}

/** Distinguishes names only by their form; `load` checks whether the port or input exists. */
export function parseTemplate(text: string): Template {
  return {
    parts: templateParts(text).map((part) =>
      typeof part === "string" ? part : placeOf(part.name),
    ),
  };
}

/** The texts and the names between them, as they are written. */
export function templateParts(text: string): (string | WrittenPlace)[] {
  const parts: (string | WrittenPlace)[] = [];
  let rest = 0;
  let before = "";
  for (const match of text.matchAll(placePattern)) {
    const [whole, name] = match;
    before += text.slice(rest, match.index);
    rest = match.index + whole.length;
    if (name === undefined) {
      before += "{{";
      continue;
    }
    if (before !== "") parts.push(before);
    before = "";
    parts.push({ name, text: whole });
  }
  before += text.slice(rest);
  if (before !== "") parts.push(before);
  return parts;
}

export function placeOf(name: string): TemplatePlace {
  if (name === "run.id") return { from: "run", name: "id" };
  if (name === "iteration") return { from: "run", name };
  if (name.startsWith("run.inputs.")) return { from: "run", name: name.slice("run.".length) };
  if (name.startsWith("inputs.")) return { from: "input", name: name.slice("inputs.".length) };
  return { from: "input", name };
}

/** The input ports that it uses, each once. */
export function templateNames(template: Template): string[] {
  const names = template.parts.flatMap((part) =>
    typeof part !== "string" && part.from === "input" ? [part.name] : [],
  );
  return [...new Set(names)];
}

/** Fills the text with its values; null becomes an empty text. `isInert` says which inputs were produced by
 * another node: an agent must read those as data.
 */
export function fillTemplate(
  template: Template,
  values: TemplateValues,
  { isInert = () => false }: { readonly isInert?: (input: string) => boolean } = {},
): string {
  return template.parts
    .map((part) => {
      if (typeof part === "string") return part;
      const text = asText(placeValue(part, values));
      return text !== "" && part.from === "input" && isInert(part.name) ? inert(text) : text;
    })
    .join("");
}

export function placeValue(
  { from, name }: TemplatePlace,
  { inputs, run }: TemplateValues,
): unknown {
  if (from === "input") return Object.hasOwn(inputs, name) ? inputs[name] : null;
  if (name === "id") return run.id;
  if (name === "iteration") return run.iteration;
  const input = name.slice("inputs.".length);
  return Object.hasOwn(run.inputs, input) ? run.inputs[input] : null;
}

/** A value as text. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}
