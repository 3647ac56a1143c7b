/** The inputs that a run is started with, held against what its workflow takes. */

import { UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { Graph, Port } from "@reprise/core/workflow/graph";
import type { Values } from "@reprise/core/workflow/run/event";

/** Defaults are filled in; texts, as a command line has them, are read as what the input is. */
export function runInputs({ name, inputs }: Graph, given: Values): Values {
  const names = inputs.map((port) => port.name);
  for (const unknown of Object.keys(given))
    if (!names.includes(unknown))
      throw new UsageError(
        "unknown-input",
        `The workflow ${name} has no input "${unknown}".`,
        names.length === 0 ? "It takes none." : suggest(unknown, names),
      );
  const values: Record<string, unknown> = {};
  for (const port of inputs) {
    const value = given[port.name] ?? port.default;
    if (value != null) values[port.name] = valueFor(port, value);
    else if (port.required)
      throw new UsageError(
        "missing-input",
        `The workflow ${name} needs the input "${port.name}"${about(port)}.`,
        `Give it with --input ${port.name}=VALUE.`,
      );
  }
  return values;
}

function valueFor({ name, type }: Port, value: unknown): unknown {
  const read = typeof value === "string" ? fromText(type, value) : value;
  if (type === "any" || type === "json" || typeof read === type) return read;
  throw new UsageError(
    "wrong-input",
    `The input "${name}" must be a ${type}, and is ${JSON.stringify(value)}.`,
    `Give it with --input ${name}=VALUE.`,
  );
}

function fromText(type: Port["type"], text: string): unknown {
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (type !== "json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function about({ description }: Port): string {
  return description === null ? "" : ` (${description})`;
}
