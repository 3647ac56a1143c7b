/** Resolves the placeholders in a node's texts. `{{ coder.output }}` becomes a hidden input of that name with
 * an edge to it, so a template is just another way to wire nodes.
 */

import type { EdgeSource as From, Port } from "../graph.ts";
import { type NodeText, textsOf } from "../parse/node-texts.ts";
import { placeOf, type TemplatePlace, templateParts, type WrittenPlace } from "../template.ts";
import type { Draft, DraftNode } from "./draft.ts";
import { mayReturn, outputNames } from "./made-ports.ts";
import { port } from "./ports.ts";

export function lowerTemplates(draft: Draft, inputs: readonly Port[]): void {
  const given = new Set(inputs.map(({ name }) => name));
  for (const node of draft.nodes.values())
    for (const text of textsOf(node.written)) {
      const parts = templateParts(text.text).map((part) =>
        typeof part === "string" ? part : resolve({ draft, node, given, text }, part),
      );
      node.templates.set(text.field, { parts });
    }
}

/** If the file has other errors, reports only placeholders that name no node at all: ports and inputs may be
 * missing because of those errors.
 */
export function reportUnknownNodes(draft: Draft): void {
  const { unread, edges } = draft.file;
  const fed = new Set(edges.map(({ target, targetHandle }) => `${target} ${targetHandle}`));
  for (const node of draft.nodes.values())
    for (const text of textsOf(node.written))
      for (const part of templateParts(text.text)) {
        if (typeof part === "string") continue;
        const { from, name } = placeOf(part.name);
        const cut = name.lastIndexOf(".");
        if (from === "run" || name !== part.name || cut < 0) continue;
        if (node.inputs.has(name) || fed.has(`${node.id} input:${name}`)) continue;
        const source = name.slice(0, cut);
        if (draft.named(source) || unread.has(source)) continue;
        reportUnknown({ draft, node, given: new Set(), text }, part);
      }
}

interface Resolving {
  readonly draft: Draft;
  readonly node: DraftNode;
  /** Inputs of the run. */
  readonly given: ReadonlySet<string>;
  readonly text: NodeText;
}

function resolve(resolving: Resolving, written: WrittenPlace): TemplatePlace {
  const place = placeOf(written.name);
  const found = find(resolving, written, place);
  if (!found) reportUnknown(resolving, written);
  return found ?? place;
}

function find(
  resolving: Resolving,
  written: WrittenPlace,
  place: TemplatePlace,
): TemplatePlace | null {
  const { node, given, draft } = resolving;
  if (place.from === "run") {
    if (place.name === "id") return place;
    if (place.name === "iteration") return node.parent === null ? null : place;
    return given.has(place.name.slice("inputs.".length)) ? place : null;
  }
  const isPort = written.name !== place.name;
  if (isPort && node.inputs.has(place.name)) return place;
  // If the node has no such input, the run may have one.
  if (isPort) return given.has(place.name) ? { from: "run", name: written.name } : null;
  const cut = place.name.lastIndexOf(".");
  // A name without a dot is an input only when it is `input`.
  if (cut < 0) return place.name === "input" && node.inputs.has("input") ? place : null;
  if (node.inputs.has(place.name)) return place;
  const source = draft.named(place.name.slice(0, cut));
  return source && fromNode(resolving, written, source, place.name.slice(cut + 1));
}

function fromNode(
  { draft, node, text }: Resolving,
  written: WrittenPlace,
  source: DraftNode,
  wanted: string,
): TemplatePlace | null {
  const from = sourceOf(draft, node, source, wanted);
  if (!from) return null;
  const name = `${source.id}.${wanted}`;
  if (!node.inputs.has(name)) {
    node.inputs.set(name, port(name));
    draft.connect(
      from,
      { to: "input", node: node.id, port: name },
      { position: draft.source.wordsAt(text.path, written.text) },
    );
  }
  return { from: "input", name };
}

/** An output of a node; for an enclosing loop, one of its inputs. */
function sourceOf(draft: Draft, node: DraftNode, source: DraftNode, wanted: string): From | null {
  if (draft.isInside(node.id, source.id))
    return source.inputs.has(wanted) ? { from: "loop-input", node: source.id, port: wanted } : null;
  const { written, inputs, outputs } = source;
  const isJoined = written.type === "join" && inputs.has(wanted);
  if (isOpen(draft, source, wanted) && !outputs.has(wanted)) outputs.set(wanted, port(wanted));
  if (!outputs.has(wanted) && !isJoined) return null;
  return { from: "output", node: source.id, port: wanted };
}

/** A function that declares no outputs may return any. */
function isOpen(draft: Draft, node: DraftNode, output: string): boolean {
  return node.written.type === "function" && mayReturn(draft, node, output);
}

function reportUnknown(
  { draft, node, given, text }: Resolving,
  { name, text: words }: WrittenPlace,
) {
  const { report, source } = draft;
  const unresolved = (message: string, hint: string) =>
    report.error("unknown-name", source.wordsAt(text.path, words), message, hint);
  if (name === "iteration")
    return unresolved(
      `"${words}" is not inside a loop.`,
      "Only a node in a loop has an iteration.",
    );
  if (node.inputs.has(name) || given.has(name))
    return unresolved(`"${words}" is unknown.`, `Did you mean "inputs.${name}"?`);
  const cut = name.lastIndexOf(".");
  const found = draft.named(cut < 0 ? name : name.slice(0, cut));
  const outputs = (found ? outputNames(draft, found) : []).map(
    (output) => `${found?.id}.${output}`,
  );
  const otherwise = found
    ? `Use one of: ${outputs.join(", ")}.`
    : "Name an input, an output as in coder.output, run.id, run.inputs.<name> or iteration; for the braces themselves write \\{{.";
  const known = found ? outputs : names(draft, node, given, cut <= 0 ? null : name.slice(cut));
  unresolved(`"${words}" is unknown.`, report.near(name, known, otherwise));
}

/** The names that may have been meant, generated one by one, because there may be thousands. */
function* names(
  draft: Draft,
  node: DraftNode,
  given: ReadonlySet<string>,
  output: string | null,
): Generator<string> {
  for (const input of node.inputs.keys()) yield `inputs.${input}`;
  for (const input of given) yield `inputs.${input}`;
  for (const input of given) yield `run.inputs.${input}`;
  yield "run.id";
  if (output === null) return;
  for (const node of draft.nodes.values())
    if (node.outputs.has(output.slice(1)) || isOpen(draft, node, output.slice(1)))
      yield `${node.id}${output}`;
}
