import { expect, test } from "vitest";
import { fitOutputs } from "./outputs.ts";
import { agent, fn, graphOf, shell, testPort } from "./test-graph.ts";
import { play } from "./test-run.ts";

const flag = testPort("ok", { type: "boolean" });

test.each([[{ ok: true, more: "x" }], [{ ok: null }], [{}]])(
  "%j fits, and stays as it is",
  (given) => {
    expect(fitOutputs(fn("f", { outputs: [flag] }), given)).toEqual({
      outputs: given,
      warnings: [],
    });
  },
);

test.each([
  [
    fn("f", { outputs: [flag] }),
    { ok: "banana" },
    'returned a text for its output "ok", which must be boolean',
  ],
  [fn("f", { outputs: [testPort("n", { type: "number" })] }), { n: [1] }, "returned a list"],
  [
    shell("s", "true", { outputs: [testPort("output", { type: "number" })] }),
    { output: "3" },
    'Node "s" returned a text for its output "output", which must be number',
  ],
  [
    agent("a", { outputs: [testPort("n", { type: "number" })] }),
    { n: "3" },
    'Node "a" returned a text',
  ],
])("%#: a value of another type is a problem of the node that gave it", (node, given, words) => {
  expect(fitOutputs(node, given)).toMatchObject({
    problem: { code: "wrong-type", message: expect.stringContaining(words) },
  });
});

test("what must be there is missed; null is there", () => {
  const node = fn("f", { outputs: [testPort("n", { type: "number", required: true })] });
  expect(fitOutputs(node, { n: null })).toMatchObject({ outputs: { n: null } });
  expect(fitOutputs(node, {})).toMatchObject({
    problem: { code: "missing-output", message: expect.stringContaining('output "n"') },
  });
});

test('the texts "true" and "false" are read as booleans, and noted with the node', () => {
  const run = play(graphOf([fn("f", { outputs: [flag] })])).done("f", { ok: "false" });
  expect(run.execution("f").outputs).toEqual({ ok: false });
  expect(run.execution("f").warnings).toEqual(['f.ok: the text "false" was read as false']);
  run.crash();
  expect(run.execution("f").outputs).toEqual({ ok: false });
});

test("what an earlier version let pass stays as it was written down", () => {
  const run = play(graphOf([fn("f", { outputs: [flag] })])).done("f", { ok: "banana" });
  expect(run.state.status).toBe("done");
  expect(run.execution("f").outputs).toEqual({ ok: "banana" });
});
