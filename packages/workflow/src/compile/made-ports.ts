/** Ports that are used but not declared. A port with an incoming edge is created, so that long-form files
 * load. A port that is read must exist, because it would silently give null or a whole answer instead. A
 * name that is close to one of the node's ports is a misspelling, and an error.
 */

import { isNamedInput, namedInputs } from "../document/agent-inputs.ts";
import type { Position } from "../graph.ts";
import { isUsedIn, wordsIn } from "../parse/node-texts.ts";
import type { Draft, DraftNode } from "./draft.ts";
import { checkedPorts, mayGetInputs, mayGetOutputs, port } from "./ports.ts";

export interface Naming {
  readonly at: Position;
  /** It follows from something else in the file, so it needs no warning. */
  readonly implied: boolean;
}

/** Whether the node has an input of this name. */
export function feedInput(draft: Draft, node: DraftNode, name: string, naming: Naming): boolean {
  if (node.inputs.has(name)) return true;
  const { written } = node;
  const known = inputNames(node);
  if (!mayGetInputs(written.type)) return tellUnknownPort(draft, node, "input", name, naming);
  const isUsual = written.type === "agent" && isNamedInput(name);
  if (isUsual || naming.implied) return create(node, "input", name);
  const near = isUsedIn(written, name) ? null : misspelled(draft, name, known);
  if (near !== null) return tellNear(draft, node, "input", name, near, naming);
  return createWithWarning(draft, node, "input", name, known, naming);
}

/** Whether an output of the node can be read. */
export function readOutput(draft: Draft, node: DraftNode, name: string, naming: Naming): boolean {
  if (node.outputs.has(name)) return true;
  const { written } = node;
  if (written.type === "join" && node.inputs.has(name)) return create(node, "output", name);
  const isFed = written.type === "loop" && draft.feedsLoop(node.id, "output", name);
  if (!isFed && !mayGetOutputs(written, draft.options.format))
    return tellUnknownPort(draft, node, "output", name, naming);
  const known = outputNames(draft, node);
  const near = isFed || isUsedIn(written, name) ? null : misspelled(draft, name, known);
  if (near !== null) return tellNear(draft, node, "output", name, near, naming);
  if (naming.implied) return create(node, "output", name);
  return createWithWarning(draft, node, "output", name, known, naming);
}

/** Whether a function may return an output of this name: it declares it, or declares no outputs at all. */
export function mayReturn(draft: Draft, node: DraftNode, name: string): boolean {
  if (node.outputs.has(name)) return true;
  if (!mayGetOutputs(node.written, draft.options.format)) return false;
  return isUsedIn(node.written, name) || misspelled(draft, name, outputNames(draft, node)) === null;
}

/** Whether an edge from inside a loop can lead to an output of the loop. */
export function feedLoopOutput(
  draft: Draft,
  loop: DraftNode,
  name: string,
  naming: Naming,
): boolean {
  if (loop.outputs.has(name)) return true;
  const known = [...loop.outputs.keys()];
  const near = misspelled(draft, name, known);
  if (near !== null) return tellNear(draft, loop, "output", name, near, naming);
  if (naming.implied) return create(loop, "output", name);
  return createWithWarning(draft, loop, "output", name, known, naming);
}

/** Whether an edge inside a loop can read an input of the loop. */
export function readLoopInput(
  draft: Draft,
  loop: DraftNode,
  name: string,
  naming: Naming,
): boolean {
  if (loop.inputs.has(name)) return true;
  if (draft.options.format >= checkedPorts && !draft.feedsLoop(loop.id, "input", name))
    return tellUnknownPort(draft, loop, "input", name, naming);
  if (naming.implied) return create(loop, "input", name);
  return createWithWarning(draft, loop, "input", name, [...loop.inputs.keys()], naming);
}

/** The inputs that a node of this type has or may have. */
function inputNames({ written, inputs }: DraftNode): string[] {
  return written.type === "agent"
    ? [...new Set([...inputs.keys(), ...namedInputs])]
    : [...inputs.keys()];
}

/** The outputs that a node has or, as far as the file shows, may have. */
export function outputNames({ file }: Draft, { written, outputs }: DraftNode): string[] {
  const given = written.type === "trigger" ? file.inputs.map(({ name }) => name) : [];
  // A function without declared outputs returns what its code names.
  const returned = written.type === "function" ? wordsIn(written.data.code) : [];
  return [...new Set([...outputs.keys(), ...given, ...returned])];
}

/** The port that was probably meant; null if no name is close. */
function misspelled({ options, report }: Draft, name: string, known: readonly string[]) {
  return options.format < checkedPorts ? null : report.nearMiss(name, known);
}

type Side = "input" | "output";

function create(node: DraftNode, side: Side, name: string): true {
  node[`${side}s`].set(name, port(name));
  return true;
}

function createWithWarning(
  { report }: Draft,
  node: DraftNode,
  side: Side,
  name: string,
  known: readonly string[],
  { at }: Naming,
): true {
  report.warn(
    "created-port",
    at,
    `"${node.id}" does not declare the ${side} "${name}", so it is created.`,
    report.near(name, known, `Declare it in the ${side}s of "${node.id}".`),
    { node: node.id, port: name },
  );
  return create(node, side, name);
}

function tellNear(
  { report, file }: Draft,
  node: DraftNode,
  side: Side,
  name: string,
  near: string,
  { at }: Naming,
): false {
  report.error(
    "unknown-port",
    at,
    `"${node.id}" has no ${side} "${name}".`,
    `Did you mean "${near}"? If not, ${declaring(file.isShort, node, side, name)}.`,
    { node: node.id, port: name },
  );
  return false;
}

/** How a file declares a port. */
function declaring(isShort: boolean, node: DraftNode, side: Side, name: string): string {
  if (isShort && side === "output") return `declare it: returns: { ${name}: any }`;
  return `declare it in the ${side}s of "${node.id}"`;
}

function tellUnknownPort(
  { report, file }: Draft,
  node: DraftNode,
  side: Side,
  name: string,
  { at }: Naming,
): false {
  const known = [...node[`${side}s`].keys()];
  const listed = known.length === 0 ? `It has no ${side}s.` : `Use one of: ${known.join(", ")}.`;
  const declares = side === "output" && node.written.type === "agent";
  report.error(
    "unknown-port",
    at,
    `"${node.id}" has no ${side} "${name}".`,
    report.near(
      name,
      known,
      declares ? `${listed} Or ${declaring(file.isShort, node, side, name)}.` : listed,
    ),
    { node: node.id, port: name },
  );
  return false;
}
