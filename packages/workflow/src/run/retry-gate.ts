/**
 * A retry gate, from its checks.
 *
 *     all true ──▶ done, passed
 *     else, retries left ──▶ wait until all that is to be repeated has ended ──▶ retry: the target and
 *                            what is downstream of it, this gate too, get another round
 *     else ──▶ done, not passed; or failed
 */

import { verb } from "@reprise/core/errors/hint";
import { shortLine } from "@reprise/core/text/short-line";
import type { Graph, RetryGateNode } from "../graph.ts";
import { asText } from "../template.ts";
import { downstream } from "./downstream.ts";
import type { NamedValues } from "./event.ts";
import { type NodeIndex, nodeIndex } from "./graph-index.ts";
import { resolveInputs } from "./inputs.ts";
import { current, hasEnded } from "./place.ts";
import { fit } from "./port-value.ts";
import { problem, type RunProblem } from "./problem.ts";
import type { Frame, RunState } from "./state.ts";

/** How much of the feedback an error quotes; the gate's outputs have all of it. */
const maxQuoted = 300;

export interface Checked {
  readonly next: "passed" | "retry" | "maximum";
  /** The feedback of the failed checks. */
  readonly feedback: string;
  readonly outputs: NamedValues;
  readonly warnings: readonly string[];
}

export function check(
  graph: Graph,
  state: RunState,
  frame: Frame,
  node: RetryGateNode,
): Checked | RunProblem {
  const inputs = resolveInputs(graph, state, frame, node);
  if ("problem" in inputs) return inputs;
  const retries = frame.retries.get(node.id) ?? { count: 0, feedback: null };
  const failed = node.checks.filter((port) => !isTrue(inputs.values[port]));
  const passed = failed.length === 0;
  const feedback = passed ? "" : feedbackOf(nodeIndex(graph, node.id), node, failed, inputs.values);
  const isLast = retries.count >= node.maxRetries;
  return {
    next: passed ? "passed" : isLast ? "maximum" : "retry",
    feedback,
    outputs: {
      passed,
      retry_feedback: passed ? retries.feedback : feedback,
      retry_count: retries.count,
    },
    warnings: inputs.warnings,
  };
}

function isTrue(value: unknown): boolean {
  const fitted = fit("boolean", value ?? null);
  return fitted.fits && fitted.value === true;
}

/** Feedback from the node of a check that passed is left out. Several failed checks are named. */
function feedbackOf(
  { inputs }: NodeIndex,
  { checks, feedback }: RetryGateNode,
  failed: readonly string[],
  values: NamedValues,
): string {
  const sources = (port: string) => (inputs.get(port) ?? []).map(({ source }) => source.node);
  const blamed = new Set(failed.flatMap(sources));
  const cleared = new Set(checks.flatMap(sources).filter((node) => !blamed.has(node)));
  const given = feedback
    .filter((port) => !sources(port).some((node) => cleared.has(node)))
    .map((port) => ({ of: sources(port), text: asText(values[port]) }))
    .filter(({ text }) => text !== "");
  if (failed.length === 1 && given.length > 0) return joined(given);
  const named = failed.map((port) => {
    const of = sources(port);
    const own = given.filter((each) => each.of.some((node) => of.includes(node)));
    const name = of.length === 1 ? of[0]! : port;
    return own.length === 0 ? `${name} did not pass.` : `${name} did not pass:\n${joined(own)}`;
  });
  const others = given.filter((each) => !each.of.some((node) => blamed.has(node)));
  return [...new Set(named), ...others.map(({ text }) => text)].join("\n\n");
}

function joined(given: readonly { readonly text: string }[]): string {
  return given.map(({ text }) => text).join("\n\n");
}

/** The nodes of its frame that a retry repeats. */
export function repeatedNodes(graph: Graph, gate: RetryGateNode): ReadonlySet<string> {
  return downstream(graph, gate.retryTarget);
}

/** Whether nothing that it repeats is still running. */
export function isDrained(
  graph: Graph,
  state: RunState,
  frame: Frame,
  gate: RetryGateNode,
): boolean {
  return [...repeatedNodes(graph, gate)].every((node) => {
    const execution = current(state, frame, node);
    return execution === undefined || hasEnded(execution);
  });
}

export function retriesUsedUp(
  { id: run }: Pick<RunState, "id">,
  { id, maxRetries }: RetryGateNode,
  feedback: string,
): RunProblem {
  return problem(
    "retries-used-up",
    `Retry gate "${id}" was not passed after ${maxRetries} ${maxRetries === 1 ? "retry" : "retries"}: ${shortLine(feedback, maxQuoted)}`,
    `Look at the checks, then continue with ${verb("runs.rerun", { run })}.`,
  );
}
