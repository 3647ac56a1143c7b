import type { Graph, Port } from "@reprise/core/workflow/graph";
import { expect, test } from "vitest";
import { runInputs } from "./run-inputs.ts";

const port = (name: string, more: Partial<Port> = {}): Port => ({
  name,
  type: "string",
  required: false,
  description: null,
  ...more,
});
const graph = {
  name: "review",
  inputs: [
    port("task", { required: true, description: "what to build" }),
    port("rounds", { type: "number", default: 3 }),
    port("strict", { type: "boolean" }),
    port("options", { type: "json" }),
    port("extra", { type: "any" }),
  ],
} as unknown as Graph;

test("defaults are filled in and texts are read as what the input is", () => {
  expect(runInputs(graph, { task: "7" })).toEqual({ task: "7", rounds: 3 });
  const given = { task: "t", rounds: "5", strict: "false", options: '{"a":[1]}', extra: "3" };
  expect(runInputs(graph, given)).toEqual({
    task: "t",
    rounds: 5,
    strict: false,
    options: { a: [1] },
    extra: "3",
  });
  expect(runInputs(graph, { task: "t", options: "plain" })).toMatchObject({ options: "plain" });
});

test.each([
  [{}, "missing-input", /needs the input "task" \(what to build\)/],
  [{ task: null }, "missing-input", /needs the input "task"/],
  [{ taks: "x" }, "unknown-input", /no input "taks"/],
  [{ task: "t", rounds: "many" }, "wrong-input", /"rounds" must be a number, and is "many"/],
  [{ task: "t", strict: 1 }, "wrong-input", /"strict" must be a boolean/],
  [{ task: { deep: 1 } }, "wrong-input", /"task" must be a string/],
])("%j is not taken", (given, code, message) => {
  expect(() => runInputs(graph, given)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message), exitCode: 2 }),
  );
});

test("an unknown input is told which one was meant", () => {
  expect(() => runInputs(graph, { taks: "x" })).toThrow(
    expect.objectContaining({ hint: 'Did you mean "task"?' }),
  );
});
