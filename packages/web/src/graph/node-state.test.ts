import type { ExecutionView } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { nodeStates } from "./node-state.ts";

function execution(view: Pick<ExecutionView, "id" | "node"> & Partial<ExecutionView>) {
  return {
    status: "done",
    type: "agent",
    iterations: [],
    outcome: null,
    denied: [],
    ...view,
  } as ExecutionView;
}

const stateOf = nodeStates([
  execution({ id: "loop", node: "loop", type: "loop", status: "running" }),
  execution({ id: "loop/1/a", node: "a", iterations: [1], outcome: "blank", denied: ["Bash: ls"] }),
  execution({ id: "loop/2/a", node: "a", iterations: [2], outcome: "resume", status: "running" }),
  execution({ id: "skipped", node: "b", status: "skipped" }),
]);

test("a node stands as its last execution does, and says how often it ran", () => {
  expect(stateOf("a")).toMatchObject({ status: "running", outcome: "resume", times: 2, denied: 1 });
  expect(stateOf("b")).toMatchObject({ status: "skipped", times: 0 });
});

test("a loop knows its iteration, and what has not begun is open", () => {
  expect(stateOf("loop")).toMatchObject({ iteration: 2, status: "running" });
  expect(stateOf("other")).toEqual({
    status: "open",
    outcome: null,
    times: 0,
    iteration: null,
    denied: 0,
    latest: null,
  });
});
