/** A gate: what a person sees, and what the answer means. */

import { verb } from "@reprise/core/errors/hint";
import type { GateNode, Graph } from "../graph.ts";
import { fillTemplate } from "../template.ts";
import type { OpenGate } from "./command.ts";
import type { EventOf, NamedValues } from "./event.ts";
import { templateValues } from "./facts.ts";
import { resolveInputs } from "./inputs.ts";
import { rejected } from "./liveness.ts";
import { problem, type RunProblem } from "./problem.ts";
import type { Frame, RunState } from "./state.ts";

export function openGate(
  graph: Graph,
  state: RunState,
  frame: Frame,
  node: GateNode,
): OpenGate | RunProblem {
  const inputs = resolveInputs(graph, state, frame, node);
  if ("problem" in inputs) return inputs;
  const values = templateValues(state, frame, inputs);
  return {
    node,
    title: fillTemplate(node.title, values),
    message: node.message && fillTemplate(node.message, values),
    deadline: node.deadline,
    sessions: [...state.sessions],
  };
}

export type GateAnswer = Pick<EventOf<"gate.answered">, "choice" | "comment" | "values"> & {
  readonly by: string | null;
};

/** The answer that its deadline gives; null if the deadline fails the gate. */
export function deadlineAnswer({ onDeadline }: GateNode): GateAnswer | null {
  if (onDeadline === "fail") return null;
  return { choice: onDeadline.choice, by: null, comment: null, values: {} };
}

export function gateOutputs(
  graph: Graph,
  state: RunState,
  frame: Frame,
  node: GateNode,
  { choice, by, comment, values }: GateAnswer,
): NamedValues {
  const inputs = resolveInputs(graph, state, frame, node);
  const input = "problem" in inputs ? null : (inputs.values.input ?? null);
  const fields = node.fields.map((field) => [
    field.name,
    values[field.name] ?? field.default ?? null,
  ]);
  const approved = choice === node.choices[0];
  return { ...Object.fromEntries(fields), output: input, choice, approved, comment, by, values };
}

export function rejection(
  { id: run }: Pick<RunState, "id">,
  { id }: GateNode,
  { choice, by, comment }: GateAnswer,
): RunProblem {
  const who = by === null ? "its deadline" : by;
  return problem(
    rejected,
    `Gate "${id}" was answered with "${choice}" by ${who}${comment ? `: ${comment}` : "."}`,
    `Change what was rejected, then ask again with ${verb("runs.rerun", { run })}.`,
  );
}

export function expiry({ id: run }: Pick<RunState, "id">, { id }: GateNode): RunProblem {
  return problem(
    "deadline-passed",
    `Gate "${id}" was not answered before its deadline.`,
    `Ask again with ${verb("runs.rerun", { run })}.`,
  );
}
