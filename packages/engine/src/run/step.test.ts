import type { Edge, Graph, GraphNode } from "@reprise/workflow/graph";
import { apply } from "@reprise/workflow/run/apply";
import type { NamedValues, RunEvent } from "@reprise/workflow/run/event";
import { emptyState } from "@reprise/workflow/run/fold";
import {
  after,
  agent,
  branch,
  constant,
  dock,
  flow,
  fn,
  gate,
  graphOf,
  intoDock,
  join,
  loop,
  retryGate,
  shell,
  testPort,
  wire,
  workdir,
} from "@reprise/workflow/run/test-graph";
import { describe, expect, test } from "vitest";
import { takeStep } from "./step.ts";

const now = 1000;
const error = { code: "broken", message: "It broke.", hint: "Fix it." };

/** Takes steps with the given events, and returns how each is written. */
class Steps {
  readonly #loaded;
  readonly #state = emptyState("r1");

  constructor(graph: Graph) {
    this.#loaded = { source: "", format: 1, graph, warnings: [] };
    this.byOthers({
      type: "run.started",
      workflow: graph.name,
      source: "",
      format: 1,
      inputs: {},
      folder: "/project",
      path: null,
      trigger: null,
      by: null,
    });
  }

  take(...happened: RunEvent[]) {
    return this.#take(happened, { at: now, only: false });
  }

  takeAt(at: number) {
    return this.#take([], { at, only: false });
  }

  /** Starts nothing. */
  leave(...happened: RunEvent[]) {
    return this.#take(happened, { at: now, only: true });
  }

  #take(happened: readonly RunEvent[], { at, only }: { at: number; only: boolean }) {
    const options = { now: at, boot: "monday", only };
    const { durability, starts } = takeStep(this.#loaded, this.#state, happened, options);
    const { status } = this.#state;
    return [durability, ...starts.map(({ execution }) => execution), status].join(" ");
  }

  /** Written by a process that does not own the run. */
  byOthers(event: RunEvent): void {
    apply(this.#loaded.graph, this.#state, event, { seq: this.#state.seq + 1, at: now });
  }

  item(execution: string): string {
    const gate = this.#state.executions.get(execution);
    return (gate?.type === "gate" ? gate.item : null) ?? "";
  }
}

function steps(nodes: readonly GraphNode[], edges: readonly Edge[] = []): Steps {
  return new Steps(graphOf(nodes, edges));
}

/** One after the other. */
function chain(...nodes: readonly GraphNode[]): Steps {
  const pairs = nodes.slice(1).map(({ id }, index) => after(nodes[index]!.id, id));
  return steps(nodes, pairs);
}

function done(execution: string, outputs: NamedValues = {}): RunEvent {
  return { type: "node.done", execution, attempt: 1, outputs };
}

function failed(execution: string, retryAt: number | null = null): RunEvent {
  return { type: "node.failed", execution, attempt: 1, error, outputs: {}, retryAt };
}

describe("is buffered", () => {
  test("from one function to the next, until the run ends", () => {
    const run = chain(fn("a"), fn("b"), fn("c"));
    expect(run.take()).toBe("buffered a running");
    expect(run.take(done("a"))).toBe("buffered b running");
    expect(run.take(done("b"))).toBe("buffered c running");
    expect(run.take(done("c"))).toBe("durable done");
  });

  test("when functions run side by side, whichever ends first", () => {
    const run = steps([fn("a"), fn("b"), fn("c")], [after("a", "c"), after("b", "c")]);
    expect(run.take()).toBe("buffered a b running");
    expect(run.take(done("b"))).toBe("buffered running");
    expect(run.take(done("a"))).toBe("buffered c running");
  });

  test("what is neither begun nor ended: a constant, a branch, a wire, a join, a skipped node", () => {
    const run = steps(
      [fn("a"), constant("k", true), branch("if"), wire("w"), join("j"), shell("never"), fn("b")],
      [
        after("a", "if"),
        flow("k.value", "if.value"),
        after("if.false", "never"),
        flow("if.true", "w.value"),
        flow("w.value", "j.left"),
        after("j", "b"),
      ],
    );
    expect(run.take()).toBe("buffered a running");
    expect(run.take(done("a"))).toBe("buffered b running");
    expect(run.take(done("b"))).toBe("durable done");
  });

  test("a function that fails and is tried again, and the second try", () => {
    const run = chain(fn("a"), fn("b"));
    run.take();
    expect(run.take(failed("a", now + 50))).toBe("buffered running");
    expect(run.takeAt(now + 50)).toBe("buffered a running");
  });

  test("a function that fails, when the run continues without it", () => {
    const run = chain(fn("a", { onError: "continue" }), fn("b"));
    run.take();
    expect(run.take(failed("a"))).toBe("buffered b running");
  });

  test("every iteration of a loop of functions, but not its end when the run ends with it", () => {
    const run = steps(
      [
        loop("count", { docks: [dock("enough", "until")] }),
        fn("one", { parent: "count" }),
        fn("look", { parent: "count" }),
      ],
      [after("one", "look"), intoDock("look.enough", "count.enough")],
    );
    expect(run.take()).toBe("buffered count/1/one running");
    expect(run.take(done("count/1/one"))).toBe("buffered count/1/look running");
    expect(run.take(done("count/1/look", { enough: false }))).toBe("buffered count/2/one running");
    expect(run.take(done("count/2/one"))).toBe("buffered count/2/look running");
    expect(run.take(done("count/2/look", { enough: true }))).toBe("durable done");
  });

  test("a further round of a retry gate", () => {
    const again = retryGate("again", "a", { inputs: [testPort("ok", { type: "boolean" })] });
    const run = steps([fn("a"), fn("b"), again], [after("a", "b"), flow("b.ok", "again.ok")]);
    run.take();
    run.take(done("a"));
    expect(run.take(done("b", { ok: false }))).toBe("buffered a~1 running");
  });

  test("a function's end while a script runs, whose start was durable", () => {
    const run = steps([fn("a"), fn("b"), shell("build")], [after("a", "b")]);
    expect(run.take()).toBe("durable a build running");
    expect(run.take(done("a"))).toBe("buffered b running");
  });

  test("what follows from an answer, which was durable when it was given", () => {
    const run = chain(gate("ask"), fn("a"));
    expect(run.take()).toBe("durable running");
    const answer = { choice: "approve", by: "ann", comment: null, values: {} };
    run.byOthers({
      type: "gate.answered",
      execution: "ask",
      item: run.item("ask"),
      ...answer,
    });
    expect(run.take()).toBe("buffered a running");
  });

  test("a function's end when nothing may be started", () => {
    const run = chain(fn("a"), shell("build"));
    run.take();
    expect(run.leave(done("a"))).toBe("buffered running");
    expect(run.take()).toBe("durable build running");
  });
});

describe("is durable", () => {
  test.each([agent("x"), shell("x"), workdir("x", "/project/x")])(
    "the start and the end of what leaves a trace: $type",
    (node) => {
      const run = chain(fn("a"), node, fn("b"), fn("c"));
      expect(run.take()).toBe("buffered a running");
      expect(run.take(done("a"))).toBe("durable x running");
      expect(run.take(done("x"))).toBe("durable b running");
      expect(run.take(done("b"))).toBe("buffered c running");
    },
  );

  test.each([agent("x"), shell("x"), workdir("x", "/project/x")])(
    "its failure as well, tried again or passed over: $type",
    (node) => {
      const tried = chain(node, fn("a"));
      tried.take();
      expect(tried.take(failed("x", now + 50))).toBe("durable running");
      expect(tried.takeAt(now + 50)).toBe("durable x running");
      const passed = chain({ ...node, onError: "continue" }, fn("a"));
      passed.take();
      expect(passed.take(failed("x"))).toBe("durable a running");
    },
  );

  test("a gate that is opened", () => {
    const run = chain(fn("a"), gate("ask"));
    run.take();
    expect(run.take(done("a"))).toBe("durable running");
  });

  test("an agent that waits for an answer, or was asked once more", () => {
    const run = steps([agent("x"), fn("a")]);
    expect(run.take()).toBe("durable x a running");
    const asked = { execution: "x", attempt: 1, turn: "t1" };
    expect(run.take({ type: "node.asked", ...asked })).toBe("durable running");
    expect(run.take({ type: "node.waiting", ...asked })).toBe("durable running");
  });

  test("a step of which one part alone is: a script beside functions, the end of an agent beside theirs", () => {
    const run = steps(
      [fn("a"), fn("b"), shell("build"), agent("x"), fn("c")],
      [after("a", "b"), after("a", "build"), after("build", "x"), after("x", "c")],
    );
    expect(run.take()).toBe("buffered a running");
    expect(run.take(done("a"))).toBe("durable b build running");
    expect(run.take(done("build"))).toBe("durable x running");
    expect(run.take(done("b"), done("x"))).toBe("durable c running");
  });

  test("the end of a run by a function that fails", () => {
    const run = chain(fn("a"), fn("b"));
    run.take();
    expect(run.take(failed("a"))).toBe("durable failed");
  });

  test("a run that has nothing to do", () => {
    expect(steps([constant("k", 1)]).take()).toBe("durable done");
  });
});
