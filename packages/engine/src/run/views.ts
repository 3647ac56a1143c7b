/** Runs as the public API shows them. */

import type { ExecutionView, RunDetail, RunView } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import type { Run } from "@reprise/store/contract/runs";
import type { Graph, GraphNode } from "@reprise/workflow/graph";
import { graphView } from "@reprise/workflow/graph-view";
import { parseExecutionId } from "@reprise/workflow/run/execution";
import { nodeIndex } from "@reprise/workflow/run/graph-index";
import { currentTurn } from "@reprise/workflow/run/place";
import type { Execution } from "@reprise/workflow/run/state";
import { waitsFor } from "@reprise/workflow/run/status";
import type { Engine } from "../engine.ts";
import { type Driver, isUnowned } from "./driver.ts";
import { findRun } from "./find-run.ts";
import { limitOf } from "./limited.ts";
import { type KnownRun, readRunState } from "./read-state.ts";
import { fromStored, readStream } from "./stream.ts";

export function runView(driver: Driver, run: Run): RunView {
  const { id, workflow, path, status, error, startedAt, updatedAt, endedAt } = run;
  const stalled = status === "running" && isUnowned(driver, run);
  return { id, workflow, path, status, stalled, error, startedAt, updatedAt, endedAt };
}

/** The details of a run; if its workflow cannot be read here, only what the store has. */
export async function detailOf(driver: Driver, id: string): Promise<RunDetail> {
  try {
    return await runDetail(driver, await readRunState(driver.engine, id));
  } catch (error) {
    const run = await findRun(driver.engine, id);
    const unreadable = errorView(error);
    if (unreadable.code !== "unreadable-workflow") throw error;
    return {
      ...runView(driver, run),
      error: run.error ?? unreadable,
      source: await sourceOf(driver.engine, id),
      graph: { nodes: [], edges: [] },
      inputs: {},
      outputs: {},
      folder: "",
      executions: [],
      sessions: [],
      waitsFor: await stuckItems(driver.engine, id),
      warnings: [],
    };
  }
}

/** The text of the workflow, even if it cannot be loaded. */
async function sourceOf({ store }: Engine, run: string): Promise<string> {
  for await (const stored of readStream(store, run)) {
    const event = fromStored(stored);
    if (event.type === "run.started") return event.source;
  }
  return "";
}

async function stuckItems({ store }: Engine, run: string): Promise<string[]> {
  const items = await store.listItems({ run, limit: 100 });
  return items.filter(({ kind }) => kind === "stuck").map(({ id }) => id);
}

export async function runDetail(
  driver: Driver,
  { loaded, state, ended }: KnownRun,
): Promise<RunDetail> {
  const run = ended ?? (await findRun(driver.engine, state.id));
  return {
    ...runView(driver, run),
    source: loaded.source,
    graph: drawn(loaded.graph),
    inputs: state.inputs,
    outputs: state.outputs,
    folder: state.folder,
    executions: await Promise.all(
      [...state.executions.values()].map(async (execution) => {
        const { node } = nodeIndex(loaded.graph, execution.node);
        const limit = state.active.has(execution.id)
          ? await limitOf(driver.engine, state.id, execution, node)
          : null;
        const view = executionView(execution, node);
        return limit === null ? view : { ...view, warnings: [...view.warnings, limit] };
      }),
    ),
    sessions: [...state.sessions],
    waitsFor: [
      ...(run.status === "stuck" ? await stuckItems(driver.engine, run.id) : []),
      ...waitsFor(state),
    ],
    warnings: [
      ...(run.endedAt === null && state.format < refusalFormat ? [newRule] : []),
      ...loaded.warnings.map((finding) => ({ ...finding })),
    ],
  };
}

/** The first version of the loader by whose rules nothing runs after a rejection that no condition reads. */
const refusalFormat = 2;

/** The warning for a run that was parked before the rule changed. */
const newRule: RunDetail["warnings"][number] = {
  severity: "warning",
  code: "new-rule",
  message:
    "This run was started by an earlier version. From its next step on, nodes after a rejection or a failure run only if a condition reads it.",
  hint: "See docs/workflows.md, When a node runs.",
  position: null,
  node: null,
  port: null,
};

const drawings = new WeakMap<Graph, ReturnType<typeof graphView>>();

/** Cached, so that a thousand runs of one file share one drawing. */
function drawn(graph: Graph): RunDetail["graph"] {
  const { nodes, edges } = drawings.get(graph) ?? graphView(graph);
  drawings.set(graph, { nodes, edges });
  return {
    nodes: nodes.map(({ implied, ...node }) => ({ ...node, implied: [...implied] })),
    edges: [...edges],
  };
}

function executionView(execution: Execution, node: GraphNode): ExecutionView {
  const { id, round, attempt, status, outputs, error, because } = execution;
  const agent = execution.type === "agent" ? execution : null;
  return {
    id,
    node: execution.node,
    label: node.label,
    type: node.type,
    iterations: iterationsOf(execution),
    round,
    attempt,
    status,
    outputs,
    error,
    because,
    warnings: [...execution.warnings],
    session: agent?.session ?? null,
    turn: currentTurn(execution),
    outcome: agent?.outcome ?? null,
    tokens: agent?.tokens ?? null,
    denied: [...(agent?.denied ?? [])],
    item: execution.type === "gate" ? execution.item : null,
    startedAt: execution.startedAt,
    endedAt: execution.endedAt,
  };
}

/** A frame is `<execution of the loop>/<iteration>`; the loop's execution is in a frame itself. */
function iterationsOf({ frame }: Execution): number[] {
  const iterations: number[] = [];
  for (let within = frame; within !== ""; ) {
    const cut = within.lastIndexOf("/");
    iterations.unshift(Number(within.slice(cut + 1)));
    within = parseExecutionId(within.slice(0, cut)).frame;
  }
  return iterations;
}
