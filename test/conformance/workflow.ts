/** Workflows of agent nodes for conformance cases: their text, a run of it, and what each turn decided. */

import type { RunDetail, TurnResult } from "@reprise/core/api/reprise";
import type { Launch, ModelCall, Subject } from "./subject.ts";

/** The `data` of an agent node, and where its inputs come from. */
export interface NodeInFile {
  readonly data: Readonly<Record<string, unknown>>;
  /** From an input of the node to `node.port`. */
  readonly inputs?: Readonly<Record<string, string>>;
}

export function workflow(
  nodes: Readonly<Record<string, NodeInFile>>,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const edges = Object.entries(nodes).flatMap(([target, { inputs = {} }]) =>
    Object.entries(inputs).map(([port, from]) => {
      const [source, output] = from.split(".");
      return {
        id: `${from}-${target}`,
        source,
        target,
        sourceHandle: `output:${output}`,
        targetHandle: `input:${port}`,
      };
    }),
  );
  return JSON.stringify({
    version: 3,
    metadata: { name: "Conformance" },
    ...more,
    nodes: Object.entries(nodes).map(([id, { data }]) => ({
      id,
      type: "agent",
      data: { nodeType: "agent", ...data },
    })),
    edges,
  });
}

/** A workflow in the short form. */
export function steps(
  steps: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({ name: "Conformance", ...more, steps });
}

interface LongNode {
  readonly type: string;
  readonly in?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A workflow in the long form; edges as `coder output:text > loop dock:session:current`. */
export function long(nodes: Readonly<Record<string, LongNode>>, edges: readonly string[]): string {
  return JSON.stringify({
    version: 2,
    metadata: { name: "Conformance" },
    nodes: Object.entries(nodes).map(([id, { type, in: parentId, data = {} }]) => ({
      id,
      type,
      ...(parentId && { parentId }),
      data: { nodeType: type, ...data },
    })),
    edges: edges.map((edge, index) => {
      const [source, sourceHandle, , target, targetHandle] = edge.split(" ");
      return { id: `e${index}`, source, target, sourceHandle, targetHandle };
    }),
  });
}

/** A node that names no agent, but the program of the one under test. */
export function runner(subject: Subject): Record<string, unknown> {
  return { runner: subject.provider, settings: subject.agentSettings() };
}

export interface WatchedRun {
  readonly run: RunDetail;
  /** The turn of each node that had one. */
  readonly turns: Readonly<Record<string, TurnResult>>;
  readonly launches: readonly Launch[];
  readonly calls: readonly ModelCall[];
}

/** What the witness saw meanwhile. */
export interface Seen<Result> {
  readonly result: Result;
  readonly launches: readonly Launch[];
  readonly calls: readonly ModelCall[];
}

export async function watch<Result>(
  { witness }: Subject,
  action: () => Promise<Result>,
): Promise<Seen<Result>> {
  const [launches, calls] = [witness.launches().length, witness.calls().length];
  const result = await action();
  return {
    result,
    launches: witness.launches().slice(launches),
    calls: witness.calls().slice(calls),
  };
}

/** The last line of each prompt: the message itself, without the conversation before it. */
export function asked(calls: readonly ModelCall[]): string[] {
  return calls.map(({ prompt }) => prompt.trimEnd().split("\n").at(-1) ?? "");
}

export async function runWorkflow(subject: Subject, source: string): Promise<WatchedRun> {
  const { reprise } = subject;
  const { result: run, ...seen } = await watch(subject, () => reprise.runs.start({ source }));
  const turns = await Promise.all(
    run.executions
      .filter(({ turn }) => turn !== null)
      .map(async ({ node, turn }) => [node, await reprise.turns.why(turn!)] as const),
  );
  return { run, turns: Object.fromEntries(turns), ...seen };
}
