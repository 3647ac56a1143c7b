/** Checks the inputs that a run is started with against its workflow. */

import { UsageError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { shown } from "@reprise/core/errors/shown";
import { suggest } from "@reprise/core/errors/suggestion";
import { isSessionKey, keyRule } from "@reprise/core/session/key";
import type { Graph, Port } from "@reprise/workflow/graph";
import type { NamedValues } from "@reprise/workflow/run/event";
import { originNodes } from "@reprise/workflow/run/origins";

/** Fills in defaults and converts text, as a command line gives it, to the type of the input. */
export function runInputs(graph: Graph, given: NamedValues): NamedValues {
  const { name, inputs } = graph;
  const names = inputs.map((port) => port.name);
  for (const unknown of Object.keys(given))
    if (!names.includes(unknown))
      throw new UsageError(
        "unknown-input",
        `The workflow ${name} has no input "${unknown}".`,
        names.length === 0 ? "It has no inputs." : suggest(unknown, names),
      );
  const values: Record<string, unknown> = {};
  for (const port of inputs) {
    const value = given[port.name] ?? null;
    if (value !== null) values[port.name] = valueFor(port, value);
    else if (port.default != null) values[port.name] = defaultOf(port);
    else if (port.required)
      throw new UsageError(
        "missing-input",
        `The workflow ${name} needs the input "${port.name}"${about(port)}.`,
        `Give it with ${option(`inputs.${port.name}`)}.`,
      );
  }
  checkKeys(graph, values);
  return values;
}

/** An input that a node uses as its session key must be a valid key. */
function checkKeys(graph: Graph, values: NamedValues): void {
  for (const { id, type } of graph.nodes) {
    if (type !== "agent") continue;
    for (const name of originNodes(graph, id, ["sessionId"])) {
      const value = values[name];
      if (typeof value !== "string" || value === "" || isSessionKey(value)) continue;
      throw new UsageError(
        "bad-key",
        `The input "${name}" must be a session key, but is ${shown(value)}.`,
        keyRule,
      );
    }
  }
}

/** The default of a `json` input may also be plain text. */
function defaultOf(port: Port): unknown {
  if (port.type !== "json" || typeof port.default !== "string") return valueFor(port, port.default);
  const read = readJson(port.default);
  return "value" in read ? read.value : port.default;
}

function valueFor({ name, type }: Port, value: unknown): unknown {
  const read = typeof value === "string" ? fromText(name, type, value) : value;
  if (type === "any" || type === "json" || typeof read === type) return read;
  throw new UsageError(
    "wrong-input",
    `The input "${name}" must be a ${type}, but is ${JSON.stringify(value)}.`,
    `Give it with ${option(`inputs.${name}`)}.`,
  );
}

function fromText(name: string, type: Port["type"], text: string): unknown {
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return type === "json" ? fromJson(name, text) : text;
}

function fromJson(name: string, text: string): unknown {
  const read = readJson(text);
  if ("value" in read) return read.value;
  throw new UsageError(
    "wrong-input",
    `The input "${name}" must be JSON: ${read.problem}.`,
    `Give it with ${option(`inputs.${name}`)}; put text in double quotes.`,
  );
}

function readJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function about({ description }: Port): string {
  return description === null ? "" : ` (${description})`;
}
