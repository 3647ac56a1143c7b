/** Which port an edge uses if it names none. */

import type { EdgeSource as From, NodeType } from "../graph.ts";
import type { Draft, DraftNode } from "./draft.ts";

const usualOutputs: Readonly<Partial<Record<NodeType, string>>> = {
  trigger: "text",
  constant: "value",
  wire: "value",
  workdir: "path",
  branch: "true",
  "retry-gate": "passed",
};

/** The only port that it declares, else the usual one of its type. */
export function usualOutput({ written, outputs }: DraftNode): string {
  const [only, ...others] = written.data.outputs ?? [];
  if (only && others.length === 0) return only.name;
  const usual = usualOutputs[written.type] ?? "output";
  // A node that waits for a loop without outputs only needs to know that it has ended.
  return written.type === "loop" && !outputs.has(usual) ? "ended" : usual;
}

/** Null: the node takes no values, so the edge only sets the order. */
export function usualInput(draft: Draft, node: DraftNode, from: From): string | null {
  const { written, inputs } = node;
  const [only, ...others] = written.data.inputs ?? [];
  if (only && others.length === 0) return only.name;
  switch (written.type) {
    case "trigger":
    case "constant":
    case "workdir":
      return null;
    case "agent":
      // The value is added to the prompt of the file; only an explicit input:prompt replaces it.
      return inputs.has("input") || written.data.prompt !== undefined ? "input" : "prompt";
    case "branch":
    case "wire":
    case "output":
      return "value";
    case "join":
    case "retry-gate":
      return ownInput(draft, node, from);
    default:
      return "input";
  }
}

/** The input of a loop that an edge inside it uses if it names none. */
export function taskInput({ inputs }: DraftNode): string | null {
  if (inputs.has("task")) return "task";
  // Names with a dot are values of other nodes that are passed through.
  const names = [...inputs.keys()].filter((name) => !name.includes("."));
  return names.find((name) => name === "prompt") ?? names[0] ?? null;
}

/** Each edge gets its own input, named after its source. */
function ownInput(draft: Draft, { id }: DraftNode, from: From): string {
  const name = from.from === "output" || from.from === "loop-input" ? from.port : from.from;
  return draft.isFed(id, name) ? `${from.node}.${name}` : name;
}
