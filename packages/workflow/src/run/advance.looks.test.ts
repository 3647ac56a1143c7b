import { expect, test } from "vitest";
import { advance } from "./advance.ts";
import { apply } from "./apply.ts";
import type { RunEvent } from "./event.ts";
import { emptyState } from "./fold.ts";
import type { Execution } from "./state.ts";
import { after, flow, fn, graphOf } from "./test-graph.ts";

/** Counts how often an execution is looked up. */
class Watched extends Map<string, Execution> {
  looks = 0;
  override get(id: string): Execution | undefined {
    this.looks += 1;
    return super.get(id);
  }
}

/** Plays a graph of functions to its end; tells how often an execution, and the list of edges, was looked at. */
function looksOf(nodes: ReturnType<typeof fn>[], edges: Parameters<typeof graphOf>[1]) {
  let lists = 0;
  const plain = graphOf(nodes, edges, { parallel: 4 });
  const graph = {
    ...plain,
    get edges() {
      lists += 1;
      return plain.edges;
    },
  };
  const executions = new Watched();
  const state = { ...emptyState("r1"), executions };
  const started: string[] = [];
  const happen = (event: RunEvent) => apply(graph, state, event, { seq: state.seq + 1, at: 1 });
  happen({
    type: "run.started",
    workflow: "w",
    source: "",
    format: 1,
    inputs: {},
    folder: "/",
    path: null,
    trigger: null,
    by: null,
  });
  while (state.status === "running") {
    for (const command of advance(graph, state, 1)) {
      if (command.do === "append") happen(command.event);
      if (command.do !== "start") continue;
      const { execution, attempt } = command;
      started.push(execution);
      happen({ type: "node.started", execution, attempt });
    }
    const [execution] = state.active;
    if (execution !== undefined)
      happen({ type: "node.done", execution, attempt: 1, outputs: { x: 1 } });
  }
  expect(started).toHaveLength(nodes.length);
  return { looks: executions.looks, lists };
}

const functions = (count: number) => Array.from({ length: count }, (_, at) => fn(`n${at}`));

test("a chain of 10,000 nodes: each step looks at what it touches", () => {
  const many = functions(10_000);
  const edges = many.slice(1).map((_, at) => flow(`n${at}.x`, `n${at + 1}.in`));
  const { looks, lists } = looksOf(many, edges);
  expect(lists).toBe(1);
  expect(looks).toBeLessThan(25 * many.length);
});

test("of 3,000 nodes beside each other four may run: none is looked at while it waits", () => {
  expect(looksOf(functions(3000), []).looks).toBeLessThan(25 * 3000);
});

test("one node after 3,000 others is looked at when the last has ended", () => {
  const many = functions(3000);
  const edges = many.map(({ id }) => after(id, "end"));
  expect(looksOf([...many, fn("end")], edges).looks).toBeLessThan(25 * 3000);
});
