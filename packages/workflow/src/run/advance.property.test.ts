import fc, { type GeneratorValue } from "fast-check";
import { expect, test } from "vitest";
import type { Edge, Graph, GraphNode } from "../graph.ts";
import { parseExecutionId } from "./execution.ts";
import { currentTurn, hasEnded, iterationOf, nodesIn } from "./place.ts";
import type { Frame } from "./state.ts";
import * as build from "./test-graph.ts";
import { Play } from "./test-run.ts";

/** Chooses, so that what it chose can be shrunk. */
class Choice {
  readonly #generate: GeneratorValue;
  constructor(generate: GeneratorValue) {
    this.#generate = generate;
  }
  upTo(max: number): number {
    return this.#generate(fc.nat, { max });
  }
  /** True once in `times`; a shrunk one is false. */
  once(times: number): boolean {
    return this.upTo(times - 1) === times - 1;
  }
  of<Item>(items: readonly Item[]): Item {
    return items[this.upTo(items.length - 1)] as Item;
  }
}

const kinds = [
  "function",
  "function",
  "agent",
  "wire",
  "branch",
  "join",
  "gate",
  "loop",
  "retry-gate",
] as const;

/** A random workflow without a cycle: every node takes from nodes before it in its frame. */
class Workflow {
  readonly nodes: GraphNode[] = [];
  readonly edges: Edge[] = [];
  readonly #choice: Choice;
  constructor(choice: Choice) {
    this.#choice = choice;
    this.#fill(null, 0);
  }

  graph(): Graph {
    return build.graphOf(this.nodes, this.edges, { parallel: 1 + this.#choice.upTo(3) });
  }

  /** Ids of the nodes that it put into the frame, in order. */
  #fill(parent: string | null, depth: number): string[] {
    const ids: string[] = [];
    const size = 2 + this.#choice.upTo(5);
    for (let at = 0; at < size; at += 1) this.#add(parent, depth, ids);
    return ids;
  }

  #add(parent: string | null, depth: number, before: string[]): void {
    const choice = this.#choice;
    const kind = before.length === 0 ? "function" : choice.of(kinds);
    const id = `${kind.slice(0, 2)}${this.nodes.length}`;
    const onError = choice.of(["continue", "skip", "fail"] as const);
    const retry = { max: choice.upTo(2), backoff: 10, maxBackoff: 40 };
    const more = { parent, onError, retry };
    switch (kind) {
      case "function":
        this.nodes.push(build.fn(id, { ...more, inputs: [this.#port()] }));
        break;
      case "agent": {
        const session = choice.once(3) ? ({ name: "shared", scope: "run" } as const) : null;
        this.nodes.push(build.agent(id, { ...more, inputs: [this.#port()], session }));
        break;
      }
      case "wire":
        this.nodes.push(build.wire(id, { ...more, inputs: [this.#port()] }));
        break;
      case "branch":
        this.nodes.push(build.branch(id, more));
        this.edges.push(
          this.#flow(before, `${id}.value`) ?? build.flow(`${id}-k.value`, `${id}.value`),
        );
        this.nodes.push(build.constant(`${id}-k`, choice.once(2), { parent }));
        break;
      case "join":
        this.nodes.push(build.join(id, { ...more, wait: choice.of(["all", "any"]) }));
        break;
      case "gate":
        this.nodes.push(build.gate(id, { ...more, onReject: onError, inputs: [this.#port()] }));
        break;
      case "loop":
        if (depth === 2) return;
        this.#loop(id, more, depth);
        break;
      case "retry-gate":
        if (before.length === 0) return;
        this.#retryGate(id, more, before);
        break;
    }
    for (let count = choice.upTo(2); count > 0; count -= 1) {
      const edge = this.#flow(before, `${id}.in`);
      if (edge) this.edges.push(edge);
      if (before.length > 0 && choice.once(4)) this.edges.push(build.after(choice.of(before), id));
    }
    before.push(id);
  }

  #loop(id: string, more: Pick<GraphNode, "parent" | "onError">, depth: number): void {
    const docks = [build.dock("last"), build.dock("stop", this.#choice.of(["until", "continue"]))];
    const maxIterations = 1 + this.#choice.upTo(2);
    const onMaximum = this.#choice.of(["done", "fail"] as const);
    this.nodes.push(build.loop(id, { ...more, docks, maxIterations, onMaximum }));
    const inside = this.#fill(id, depth + 1);
    const judge = `${id}-judge`;
    this.nodes.push(build.fn(judge, { parent: id }));
    const last = inside.at(-1);
    if (last !== undefined) this.edges.push(build.after(last, judge));
    this.edges.push(
      build.previous(`${id}.last`, `${judge}.last`),
      build.iteration(id, `${judge}.iteration`),
      build.inward(`${id}.in`, `${judge}.from`),
      build.intoDock(`${judge}.flag`, `${id}.stop`),
      build.intoDock(`${judge}.flag`, `${id}.last`),
      build.outward(`${judge}.flag`, `${id}.flag`),
    );
  }

  #retryGate(id: string, more: Pick<GraphNode, "parent" | "onError">, before: readonly string[]) {
    const target = this.#choice.of(before);
    const maxRetries = this.#choice.upTo(2);
    const onMaximum = this.#choice.of(["done", "fail"] as const);
    const inputs = [build.testPort("ok", { required: this.#choice.once(2) })];
    this.nodes.push(build.retryGate(id, target, { ...more, maxRetries, onMaximum, inputs }));
    this.edges.push(build.flow(`${target}.flag`, `${id}.ok`));
    this.edges.push(build.back(`${id}.retry_feedback`, `${target}.feedback`));
  }

  #port() {
    return build.testPort("in", { required: this.#choice.once(2) });
  }

  #flow(before: readonly string[], target: string): Edge | null {
    if (before.length === 0) return null;
    const source = this.#choice.of(before);
    const isBranch = this.nodes.some(({ id, type }) => id === source && type === "branch");
    const port = isBranch ? this.#choice.of(["true", "false"]) : "flag";
    return build.flow(`${source}.${port}`, target);
  }
}

/** Plays the world around a run: what works come to, who answers, when the process dies. */
class World {
  readonly #choice: Choice;
  readonly #run: Play;
  #patience = 3000;
  constructor(choice: Choice, run: Play) {
    this.#choice = choice;
    this.#run = run;
  }

  toTheEnd(): void {
    const run = this.#run;
    while (run.state.status === "running") {
      this.#patience -= 1;
      if (this.#patience === 0) throw new Error("The run does not end.");
      this.#something();
      if (this.#choice.once(6)) this.#crash();
    }
    expect(run.state.error?.code).not.toBe("stuck");
  }

  #crash(): void {
    const before = this.#run.state;
    this.#run.crash();
    expect(this.#run.state).toEqual(before);
  }

  #something(): void {
    const { state } = this.#run;
    if (this.#choice.once(60)) {
      this.#run.happen({ type: "run.cancelling", by: null });
      for (const id of [...state.active]) this.#run.fail(id, { code: "cancelled" });
      return;
    }
    const open = [...state.active, ...state.waiting];
    const id = open.length > 0 ? this.#choice.of(open) : undefined;
    if (id === undefined) this.#passTime();
    else if (this.#run.item(id) !== null) this.#run.answer(id, this.#answer());
    else if (id.includes("ag") && this.#choice.once(4)) this.#talk(id);
    else this.#end(id);
  }

  /** An agent asks, or is answered. */
  #talk(execution: string): void {
    const agent = this.#run.execution(execution);
    const { attempt, status } = agent;
    const turn = { execution, attempt, turn: currentTurn(agent) ?? "" };
    this.#run.happen(
      status === "waiting"
        ? { type: "node.answered", ...turn, by: null }
        : { type: "node.waiting", ...turn },
    );
  }

  #answer(): string {
    return this.#choice.once(3) ? "reject" : "approve";
  }

  #passTime(): void {
    const { waitsUntil } = this.#run;
    if (waitsUntil === null) throw new Error("Nothing is under way, and nothing comes.");
    this.#run.now = waitsUntil;
    this.#run.follow();
  }

  #end(id: string): void {
    const run = this.#run;
    const { node, failures } = run.execution(id);
    const flag = this.#choice.once(2);
    if (!this.#choice.once(4)) {
      run.done(id, { flag, output: "x" });
      return;
    }
    const retry = run.graph.nodes.find((one) => one.id === node)?.retry;
    const retryAt = failures < (retry?.max ?? 0) ? run.now + 10 + this.#choice.upTo(20) : null;
    run.fail(id, { outputs: { flag }, retryAt });
  }
}

function rerun(choice: Choice, run: Play): void {
  const node = choice.of(run.graph.nodes).id;
  const from = choice.of([{ what: "failed" }, { what: "start" }, { what: "node", node }] as const);
  run.happen({ type: "run.rerun", from, by: null });
}

function checkOnce(run: Play): void {
  expect(new Set(run.startedIds).size).toBe(run.startedIds.length);
  expect(run.starts.filter(({ beside }) => beside >= run.graph.parallel)).toEqual([]);
  const ends = run.events.flatMap(({ event }) => {
    if (event.type === "node.done" || event.type === "node.failed")
      return [`${event.execution}#${event.attempt}`];
    return event.type === "node.skipped" || event.type === "gate.answered" ? [event.execution] : [];
  });
  expect(new Set(ends).size).toBe(ends.length);
}

/** Every node of every frame that counts has ended; what is done has nothing in it that was dropped. */
function checkNothingLost(run: Play): void {
  const { state, graph } = run;
  const unended = [...state.executions.values()].filter((execution) => !hasEnded(execution));
  expect(unended).toEqual([]);
  for (const set of [state.ready, state.queue, state.active, state.retrying, state.waiting])
    expect(set.size).toBe(0);
  const complete = (frame: Frame) => {
    for (const { id } of nodesIn(graph, state, frame)) {
      const round = frame.rounds.get(id) ?? 0;
      const execution = [...state.executions.values()].find(
        (one) => one.frame === frame.id && one.node === id && one.round === round,
      );
      expect(execution?.status).toMatch(/^(done|failed|skipped)$/);
      const inner = execution?.status === "done" && iterationOf(state, execution);
      if (inner) complete(inner);
    }
  };
  const top = state.frames.get("");
  if (state.status === "done" && top) complete(top);
}

test("every execution happens at most once, nothing is lost, and the run ends", () => {
  fc.assert(
    fc.property(fc.gen(), (generate) => {
      const choice = new Choice(generate);
      const graph = new Workflow(choice).graph();
      const run = new Play(graph, {}, { shuffle: (count) => choice.upTo(count - 1) });
      const world = new World(choice, run);
      world.toTheEnd();
      for (let times = choice.upTo(2); times > 0; times -= 1) {
        rerun(choice, run);
        world.toTheEnd();
      }
      checkOnce(run);
      checkNothingLost(run);
      expect(run.folded()).toEqual(run.state);
      for (const id of run.state.executions.keys())
        expect(graph.nodes.map((node) => node.id)).toContain(parseExecutionId(id).node);
    }),
    { numRuns: 200 },
  );
});
