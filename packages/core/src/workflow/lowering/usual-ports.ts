/** Which port an edge means that names none. */

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

/** The only one that it declares, else the one of its type. */
export function usualOutput({ written, outputs }: DraftNode): string {
  const [only, ...others] = written.data.outputs ?? [];
  if (only && others.length === 0) return only.name;
  const usual = usualOutputs[written.type] ?? "output";
  // What waits for a loop without results of its own asks only whether it has ended.
  return written.type === "loop" && !outputs.has(usual) ? "ended" : usual;
}

/** Null: the node takes no values, so the edge only says what comes first. */
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
      // What comes in stands beside the prompt of the file; only an explicit input:prompt replaces it.
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

/** The input of a loop that its inside means without saying which. */
export function taskInput({ inputs }: DraftNode): string | null {
  if (inputs.has("task")) return "task";
  // Names with a dot are values of other nodes on their way through.
  const names = [...inputs.keys()].filter((name) => !name.includes("."));
  return names.find((name) => name === "prompt") ?? names[0] ?? null;
}

/** Each edge gets an input of its own, called as what it brings. */
function ownInput(draft: Draft, { id }: DraftNode, from: From): string {
  const name = from.from === "output" || from.from === "loop-input" ? from.port : from.from;
  return draft.isFed(id, name) ? `${from.node}.${name}` : name;
}
