/** Retry gates: which nodes they run again, which edges lead back, and which inputs are checks. */

import type { RetryGateNode } from "../graph.ts";
import type { Draft, DraftEdge, DraftNode } from "./draft.ts";
import { port } from "./ports.ts";
import { needsSession } from "./sessions.ts";

type Wiring = Pick<RetryGateNode, "retryTarget" | "checks" | "feedback">;

/** By the gate. */
export function lowerRetryGates(draft: Draft): Map<string, Wiring> {
  const gates = new Map<string, DraftNode | null>();
  for (const { id, written } of draft.nodes.values())
    if (written.type === "retry-gate") gates.set(id, draft.named(written.data.retryTarget));
  if (gates.size === 0) return new Map();
  markBack(draft, gates);
  for (const [gate, target] of gates) if (target) carryOn(draft, draft.nodes.get(gate)!, target);
  const sources = sourcesOf(draft, gates);
  return new Map(
    [...gates].map(([id, target]) => [id, wiringOf(draft, draft.nodes.get(id)!, target, sources)]),
  );
}

/** The outputs of a gate that are about a retry; the others lead forward. */
function isAboutRetry({ source }: DraftEdge): boolean {
  return (
    source.from === "output" && (source.port === "retry_feedback" || source.port === "retry_count")
  );
}

/** An edge from a gate to its target, or to a node between the two, is null until there is a retry. What
 * comes after the gate is never between them, even if another gate leads back from there.
 */
function markBack(draft: Draft, gates: ReadonlyMap<string, DraftNode | null>): void {
  const before = new Map<string, string[]>();
  const leaving: DraftEdge[] = [];
  for (const edge of draft.edges) {
    const { source, target } = edge;
    if (source.from !== "output" || (target.to !== "input" && target.to !== "wait")) continue;
    if (gates.has(source.node)) leaving.push(edge);
    if (
      gates.get(source.node)?.id === target.node ||
      (gates.has(source.node) && isAboutRetry(edge))
    )
      continue;
    const known = before.get(target.node);
    if (known) known.push(source.node);
    else before.set(target.node, [source.node]);
  }
  const between = new Map<string, ReadonlySet<string>>();
  for (const edge of leaving) {
    const { node: gate } = edge.source;
    const target = gates.get(gate)?.id;
    if (target === undefined) continue;
    edge.back = edge.target.node === target;
    if (edge.back || !isAboutRetry(edge)) continue;
    const nodes = between.get(gate) ?? leadingTo(gate, target, before);
    between.set(gate, nodes);
    edge.back = nodes.has(edge.target.node);
  }
}

function leadingTo(
  gate: string,
  target: string,
  before: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const found = new Set([gate]);
  // The set grows while we iterate over it.
  for (const node of found)
    if (node !== target) for (const earlier of before.get(node) ?? []) found.add(earlier);
  return found;
}

/** The agent continues its session, and gets the feedback even if no edge leads back to it. */
function carryOn(draft: Draft, gate: DraftNode, target: DraftNode): void {
  if (target.written.type !== "agent" || target.parent !== gate.parent) return;
  if (needsSession(draft, target)) target.session = { name: target.id, scope: "run" };
  const isTold = draft.edges.some(
    ({ source, target: end, back }) => back && source.node === gate.id && end.node === target.id,
  );
  if (isTold) return;
  if (!target.inputs.has("feedback")) target.inputs.set("feedback", port("feedback"));
  draft.connect(
    { from: "output", node: gate.id, port: "retry_feedback" },
    { to: "input", node: target.id, port: "feedback" },
    { position: gate.position },
  );
  draft.edges.at(-1)!.back = true;
}

type Sources = ReadonlyMap<string, { readonly node: string; readonly port: string }>;

/** The sources of each input of each gate. */
function sourcesOf(draft: Draft, gates: ReadonlyMap<string, unknown>): Sources {
  return new Map(
    draft.edges.flatMap(({ source, target }) =>
      target.to === "input" && gates.has(target.node) && source.from === "output"
        ? [[`${target.node} ${target.port}`, source] as const]
        : [],
    ),
  );
}

function wiringOf(
  draft: Draft,
  gate: DraftNode,
  target: DraftNode | null,
  sources: Sources,
): Wiring {
  const written = gate.written.type === "retry-gate" ? gate.written.data.retryTarget : "";
  const checks = new Set(
    [...gate.inputs.keys()].filter((name) =>
      isCheck(draft, gate, name, sources.get(`${gate.id} ${name}`)),
    ),
  );
  return {
    retryTarget: target?.id ?? written,
    checks: [...checks],
    feedback: [...gate.inputs.keys()].filter((name) => !checks.has(name)),
  };
}

/** Determined by the declared type, else by the source, else by the name. */
function isCheck(
  draft: Draft,
  gate: DraftNode,
  name: string,
  source: { readonly node: string; readonly port: string } | undefined,
): boolean {
  const own = gate.inputs.get(name);
  if (own?.declared && own.type !== "any") return own.type === "boolean";
  const type = source && draft.nodes.get(source.node)?.outputs.get(source.port)?.type;
  if (type !== undefined && type !== "any") return type === "boolean";
  return !/feedback|comment|message|output|text/i.test(name);
}
