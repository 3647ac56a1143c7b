import { expect, test } from "vitest";
import type { Port } from "../graph.ts";
import { load } from "../load.ts";

function outputsOf(steps: string, id: string): readonly Port[] {
  const { graph, findings } = load(`name: x\nsteps:\n${steps}\n`);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return graph?.nodes.find((node) => node.id === id)?.outputs ?? [];
}

test("a function must give what it declares, and nothing else", () => {
  const outputs = outputsOf(
    "  f: { function: go(), returns: { ok: boolean } }\n  s: { shell: 'echo {{ f.success }}' }",
    "f",
  );
  const required = Object.fromEntries(outputs.map((port) => [port.name, port.required]));
  expect(required).toEqual({ ok: true, success: false, error: false });
});

test("an output of a function need not be there when it says so, or may be anything", () => {
  const { graph } = load(
    JSON.stringify({
      version: 3,
      metadata: { name: "x" },
      nodes: [
        {
          id: "f",
          type: "function",
          data: {
            nodeType: "function",
            code: "return {}",
            outputs: [
              { name: "a", type: "json" },
              { name: "b", type: "json", required: false },
              { name: "c" },
              { name: "d", required: true },
            ],
          },
        },
      ],
      edges: [],
    }),
  );
  const required = graph?.nodes[0]?.outputs.flatMap((port) => (port.required ? [port.name] : []));
  expect(required).toEqual(["a", "d"]);
});

test.each([
  ["a function", "f: { function: go(), returns: { ok: boolean } }"],
  ["a folder", "f: { workdir: out }"],
  ["a gate", "f: { gate: Continue? }"],
  [
    "a loop",
    "f: { loop: { max: 1, until: i.ok, steps: { i: { function: go(), returns: { ok: boolean } } } } }",
  ],
])("of %s one can ask how it went", (_, step) => {
  const asking = `  ${step}\n  s: { shell: 'echo {{ f.success }} {{ f.error }}' }`;
  expect(outputsOf(asking, "f").map(({ name }) => name)).toEqual(
    expect.arrayContaining(["success", "error"]),
  );
});

test("no property of an answer takes the place of what the node itself has to say", () => {
  const schema =
    "{ type: object, properties: { sessionId: { type: number }, n: { type: number } } }";
  const outputs = outputsOf(`  a: { agent: scripted, prompt: hi, outputSchema: ${schema} }`, "a");
  expect(outputs.map(({ name, type }) => `${name} ${type}`)).toEqual(
    expect.arrayContaining(["sessionId string", "n number"]),
  );
});
