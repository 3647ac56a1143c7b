/**
 * A loop, from its docks.
 *
 *     entered ──▶ iteration 1 ──▶ all of it has ended ──▶ what does the condition say?
 *                     ▲                                      │
 *                     └──────── again, below the maximum ────┤
 *                                                            ├─ stop ──▶ ended "condition"
 *                                                            └─ again, at the maximum ──▶ ended "maximum"
 * Before that, the loop checks for rejections and failures in the iteration that no condition has read: then
 * it ends as `rejected` or failed.
 * The condition is read before the maximum: a loop whose condition ends it in the last allowed iteration did
 * not reach the maximum. A loop without a condition runs to its maximum.
 */

import type { Dock, Edge, Graph, LoopNode } from "../graph.ts";
import type { NamedValues } from "./event.ts";
import { nodeIndex } from "./graph-index.ts";
import { feed, read } from "./inputs.ts";
import { unread } from "./liveness.ts";
import { current } from "./place.ts";
import { fit, typeName } from "./port-value.ts";
import { problem, type RunProblem } from "./problem.ts";
import type { Frame, RunState } from "./state.ts";

export interface IterationResult {
  readonly next: "again" | "condition" | "maximum" | "rejected";
  readonly warnings: readonly string[];
}

/** What comes after an ended iteration. */
export function judgeIteration(
  graph: Graph,
  state: RunState,
  node: LoopNode,
  frame: Frame,
): IterationResult | RunProblem {
  const left = unread(graph, state, frame);
  const failure = left.find(({ refusal }) => refusal === "failed")?.execution.error;
  if (failure) return { problem: failure };
  if (left.length > 0) return { next: "rejected", warnings: [] };
  const { docks } = nodeIndex(graph, node.id);
  const warnings: string[] = [];
  let again = true;
  for (const dock of node.docks) {
    if (dock.type !== "continue" && dock.type !== "until") continue;
    const { value } = feed(graph, state, frame, {}, docks.get(dock.name) ?? []);
    const fitted = fit("boolean", value);
    if (!fitted.fits || fitted.value === null)
      return badCondition(node, dock, docks.get(dock.name), value);
    if (fitted.warning) warnings.push(`${node.id}.${dock.name}: ${fitted.warning}`);
    if (fitted.value === (dock.type === "until")) again = false;
  }
  if (!again) return { next: "condition", warnings };
  return { next: frame.iteration < node.maxIterations ? "again" : "maximum", warnings };
}

/** Whether the loop fails if its condition is not met in the last iteration. */
export function failsAtMaximum(
  graph: Graph,
  state: RunState,
  node: LoopNode,
  frame: Frame,
): boolean {
  const conditions = node.docks.filter(({ type }) => type === "continue" || type === "until");
  // A loop without a condition is meant to run to its maximum.
  if (conditions.length === 0 || node.onMaximum === "done") return false;
  if (node.onMaximum === "fail") return true;
  const { docks } = nodeIndex(graph, node.id);
  return conditions
    .flatMap(({ name }) => docks.get(name) ?? [])
    .some(({ source }) => source.from === "output" && isNo(graph, state, frame, source.node));
}

/** A gate that was not approved, a retry gate that was not passed, or a node that failed. */
function isNo(graph: Graph, state: RunState, frame: Frame, id: string): boolean {
  const execution = current(state, frame, id);
  if (execution?.status === "failed") return true;
  const { type } = nodeIndex(graph, id).node;
  if (type === "gate") return execution?.outputs.approved === false;
  return type === "retry-gate" && execution?.outputs.passed === false;
}

/** What an iteration passes to the next one. */
export function docksLeft(
  graph: Graph,
  state: RunState,
  node: LoopNode,
  frame: Frame,
): NamedValues {
  const { docks } = nodeIndex(graph, node.id);
  return Object.fromEntries(
    node.docks
      .filter(({ type }) => type === "feedback")
      .map((dock) => [dock.name, left(graph, state, frame, dock, docks.get(dock.name) ?? [])]),
  );
}

function left(
  graph: Graph,
  state: RunState,
  frame: Frame,
  { keyed }: Dock,
  edges: readonly Edge[],
): unknown {
  if (!keyed) return feed(graph, state, frame, {}, edges).value;
  const fields = edges.map(
    (edge) => [portOf(edge), read(graph, state, frame, edge).value] as const,
  );
  return Object.fromEntries(fields);
}

function portOf({ source }: Edge): string {
  if (source.from === "iteration") return "iteration";
  return source.from === "previous" ? source.dock : source.port;
}

/** The declared outputs, as the last iteration left them. */
export function loopOutputs(
  graph: Graph,
  state: RunState,
  node: LoopNode,
  frame: Frame,
): NamedValues {
  const { outputs } = nodeIndex(graph, node.id);
  return Object.fromEntries(
    [...outputs].map(([port, edges]) => [port, feed(graph, state, frame, {}, edges).value]),
  );
}

export function maximumReached({ id, maxIterations }: LoopNode): RunProblem {
  return problem(
    "maximum-reached",
    `Loop "${id}" reached its maximum of ${maxIterations} iterations before its condition ended it.`,
    "Raise its maximum, or set onMaximum: done and check the output ended.",
  );
}

function badCondition(
  { id }: LoopNode,
  { name }: Dock,
  edges: readonly Edge[] | undefined,
  value: unknown,
): RunProblem {
  const source = edges?.at(-1)?.source;
  const from = source?.from === "output" ? ` from ${source.node}.${source.port}` : "";
  return problem(
    "bad-condition",
    `Loop "${id}" got ${typeName(value)}${from} on its dock "${name}", which must be true or false.`,
    "Make its source always produce true or false.",
  );
}
