/** Ports that something names and nothing declares: made where the node can have them, else an error. */

import type { Position } from "../graph.ts";
import { isNamedInput } from "./agent-inputs.ts";
import type { Draft, DraftNode } from "./draft.ts";
import { type DraftPort, mayGetInputs, mayGetOutputs, port } from "./ports.ts";

export interface Naming {
  readonly at: Position;
  /** It follows from something else that the file says, so nobody has to be told. */
  readonly implied: boolean;
}

/** Whether the node has the input, now. */
export function ensureInput(draft: Draft, node: DraftNode, name: string, naming: Naming): boolean {
  const { type } = node.written;
  const isUsual = type === "agent" && isNamedInput(name);
  return ensure(
    draft,
    node,
    name,
    { ...naming, implied: naming.implied || isUsual },
    { side: "input", ports: node.inputs, isOpen: mayGetInputs(type) },
  );
}

export function ensureOutput(draft: Draft, node: DraftNode, name: string, naming: Naming): boolean {
  const isJoined = node.written.type === "join" && node.inputs.has(name);
  return ensure(
    draft,
    node,
    name,
    { ...naming, implied: naming.implied || isJoined },
    { side: "output", ports: node.outputs, isOpen: mayGetOutputs(node.written.type) || isJoined },
  );
}

function ensure(
  { report }: Draft,
  node: DraftNode,
  name: string,
  { at, implied }: Naming,
  { side, ports, isOpen }: { side: string; ports: Map<string, DraftPort>; isOpen: boolean },
): boolean {
  if (ports.has(name)) return true;
  const known = [...ports.keys()];
  if (!isOpen) {
    report.error(
      "unknown-port",
      at,
      `"${node.id}" has no ${side} "${name}".`,
      report.near(
        name,
        known,
        known.length === 0 ? `It has no ${side}s.` : `Use one of: ${known.join(", ")}.`,
      ),
    );
    return false;
  }
  if (!implied)
    report.warn(
      "created-port",
      at,
      `"${node.id}" does not declare the ${side} "${name}"; it is created.`,
      report.near(name, known, `Declare it in the ${side}s of "${node.id}".`),
    );
  ports.set(name, port(name));
  return true;
}
