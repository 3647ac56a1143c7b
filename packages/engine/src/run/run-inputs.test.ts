import type { Edge, Graph, Port } from "@reprise/workflow/graph";
import {
  agent,
  flow,
  graphOf,
  inward,
  loop,
  trigger,
  wire,
} from "@reprise/workflow/run/test-graph";
import { describe, expect, test } from "vitest";
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
  nodes: [],
  edges: [],
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
  expect(runInputs(graph, { task: "t", options: '"plain"' })).toMatchObject({ options: "plain" });
});

test.each([
  [{}, "missing-input", /needs the input "task" \(what to build\)/],
  [{ task: null }, "missing-input", /needs the input "task"/],
  [{ taks: "x" }, "unknown-input", /no input "taks"/],
  [{ task: "t", rounds: "many" }, "wrong-input", /"rounds" must be a number, but is "many"/],
  [{ task: "t", strict: 1 }, "wrong-input", /"strict" must be a boolean/],
  [{ task: "t", options: '{"files": 3' }, "wrong-input", /"options" must be JSON: /],
  [{ task: { deep: 1 } }, "wrong-input", /"task" must be a string/],
])("%j is not taken", (given, code, message) => {
  expect(() => runInputs(graph, given)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message), exitCode: 2 }),
  );
});

test("a default of the file is a value, also where it is a text", () => {
  const of = (value: unknown) => ({
    ...graph,
    inputs: [port("options", { type: "json", default: value })],
  });
  expect(runInputs(of("plain"), {})).toEqual({ options: "plain" });
  expect(runInputs(of('{"a": 1}'), {})).toEqual({ options: { a: 1 } });
});

describe("an input that becomes the key of a session", () => {
  const direct = [flow("trigger.key", "a.sessionId")];
  const through = [
    flow("trigger.key", "w.in"),
    flow("w.in", "l.session"),
    inward("l.session", "inner.sessionId"),
  ];
  const given = (edges: Edge[], key: unknown) => {
    const nodes = [trigger(), wire("w"), agent("a"), loop("l"), agent("inner", { parent: "l" })];
    const flowing = { ...graphOf(nodes, edges), inputs: [port("key", { type: "any" })] };
    return () => runInputs(flowing, { key });
  };

  test.each(["bad key!", "a\nb", "../../x", "k".repeat(5000)])("must be one: %j", (key) => {
    const refused = expect.objectContaining({ code: "bad-key", exitCode: 2 });
    expect(given(direct, key)).toThrow(refused);
    expect(given(through, key)).toThrow(refused);
    expect(given([], key)()).toEqual({ key });
  });

  test.each(["my-session", "", { messages: [] }])("%j is taken", (key) => {
    expect(given(direct, key)()).toEqual({ key });
  });
});

test("an unknown input suggests the nearest name", () => {
  expect(() => runInputs(graph, { taks: "x" })).toThrow(
    expect.objectContaining({ hint: 'Did you mean "task"?' }),
  );
});
