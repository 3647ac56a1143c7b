/** The nodes and edges of the steps of the short form. */

import { isNamedInput, namedInputs } from "../document/agent-inputs.ts";
import type { Port } from "../graph.ts";
import { isUsedIn } from "./node-texts.ts";
import type { FileReading } from "./schema-check.ts";
import { wireLoop } from "./short-loops.ts";
import { nodeOf } from "./short-nodes.ts";
import { conditionPort, feedbackPort, waitPort } from "./short-outputs.ts";
import { type Reference, References } from "./short-references.ts";
import type { ReadSteps, ShortStep } from "./short-steps.ts";
import { inputsTrigger, Wiring } from "./short-wiring.ts";
import type { Path } from "./source.ts";
import type { WrittenEdge, WrittenNode } from "./written.ts";

export function edgesOf(
  { steps, unread }: ReadSteps,
  outputs: Readonly<Record<string, string>>,
  inputs: readonly Port[],
  reading: FileReading,
): { nodes: WrittenNode[]; edges: WrittenEdge[] } {
  const wiring = new Wiring(new References(steps, { unread, inputs, reading }));
  const nodes = steps.map((step) => {
    const node = nodeOf(step);
    if (step.kind === "agent") checkInputs(step, node, reading);
    wireStep(wiring, step, node);
    return node;
  });
  for (const step of steps) if (step.kind === "loop") wireLoop(wiring, step, reading);
  for (const [name, text] of Object.entries(outputs)) {
    const node = outputNode(name);
    const from = wiring.references.find(text, node.path);
    nodes.push(node);
    if (from) wiring.lead(from, null, { node: node.id, handle: "input:value" }, node.path);
  }
  if (wiring.takesInputs) nodes.unshift(trigger(wiring, steps, inputs));
  return { nodes: nodes.map((node) => wiring.finish(node)), edges: wiring.edges };
}

/** A misspelled input of an agent would become an extra input that the prompt does not use. */
function checkInputs(
  { id, path, step }: ShortStep,
  node: WrittenNode,
  { source, report }: FileReading,
) {
  for (const name of Object.keys(step.inputs ?? {})) {
    if (isNamedInput(name) || isUsedIn(node, name)) continue;
    const near = report.nearMiss(name, namedInputs);
    if (near !== null)
      report.error(
        "unknown-port",
        source.keyAt([...path, "inputs", name]),
        `"${id}" has no input "${name}".`,
        `Did you mean "${near}"? If not, use it in a text: {{ inputs.${name} }}.`,
      );
  }
}

function outputNode(name: string): WrittenNode {
  const path = ["outputs", name];
  return { type: "output", id: path.join("."), parent: null, data: { name }, path, fields: {} };
}

/** All steps at the top level follow it. */
function trigger(
  wiring: Wiring,
  steps: readonly ShortStep[],
  inputs: readonly Port[],
): WrittenNode {
  for (const { id, parent, path } of steps)
    if (parent === null)
      wiring.edge(
        { node: inputsTrigger, handle: "output:type" },
        { node: id, handle: "wait" },
        path,
      );
  const outputs = inputs.map(({ name, type }) => ({ name, type }));
  return {
    type: "trigger",
    id: inputsTrigger,
    parent: null,
    data: { outputs },
    path: ["inputs"],
    fields: {},
  };
}

function wireStep(wiring: Wiring, step: ShortStep, node: WrittenNode): void {
  const { references } = wiring;
  const at = (...names: string[]): Path => [...step.path, ...names];
  const take = (from: Reference | null, port: string, path: Path) => {
    if (from) wiring.lead(from, step, { node: step.id, handle: `input:${port}` }, path);
  };
  for (const text of listOf(step.step.needs)) {
    const from = references.find(text, at("needs"));
    if (from)
      wiring.lead(orPort(from, waitPort), step, { node: step.id, handle: "wait" }, at("needs"));
  }
  for (const [port, given] of Object.entries(step.step.inputs ?? {}))
    if (typeof given === "string") {
      const path = at("inputs", port);
      take(references.find(given, path), port, path);
    }
  if (step.kind === "branch") {
    const { branch } = step.step;
    const from = references.find(typeof branch === "string" ? branch : branch.value, at("branch"));
    take(from && orPort(from, conditionPort), "value", at("branch"));
  }
  if (step.kind === "join") {
    const { join } = step.step;
    for (const text of Array.isArray(join) ? join : join.of)
      take(references.find(text, at("join")), text, at("join"));
  }
  if (step.kind === "retry-gate") wireRetryGate(wiring, step, at("retry-gate"));
  // An edge for a value of the previous iteration; other placeholders become edges when they are resolved.
  for (const { name, step: other, port } of references.inTexts(node))
    if (references.previousIn(step, other))
      take({ to: "step", step: other, port }, name, step.path);
    else wiring.waitFor(step, other);
}

function wireRetryGate(
  wiring: Wiring,
  step: Extract<ShortStep, { kind: "retry-gate" }>,
  path: Path,
): void {
  const { checks, feedback } = step.step["retry-gate"];
  const take = (from: Reference | null, type: "boolean" | "json") => {
    if (from?.to !== "step") return;
    const name = `${from.step.id}.${from.port ?? "output"}`;
    wiring.declare(step.id, { name, type });
    wiring.lead(from, step, { node: step.id, handle: `input:${name}` }, path);
  };
  const found = listOf(checks).map((text) => {
    const from = wiring.references.find(text, [...path, "checks"]);
    return from && orPort(from, conditionPort);
  });
  for (const check of found) take(check, "boolean");
  if (feedback !== undefined)
    for (const text of listOf(feedback))
      take(wiring.references.find(text, [...path, "feedback"]), "json");
  else
    for (const other of new Set(
      found.flatMap((from) => (from?.to === "step" ? [from.step] : [])),
    )) {
      const port = feedbackPort(other);
      if (port !== null) take({ to: "step", step: other, port }, "json");
    }
}

/** With the usual output if none is named. */
function orPort(from: Reference, usual: (step: ShortStep) => string | null): Reference {
  return from.to === "step" && from.port === null ? { ...from, port: usual(from.step) } : from;
}

function listOf(references: string | readonly string[] | undefined): readonly string[] {
  if (references === undefined) return [];
  return typeof references === "string" ? [references] : references;
}
