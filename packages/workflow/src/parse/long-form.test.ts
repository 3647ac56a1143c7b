import { expect, test } from "vitest";
import { parse } from "yaml";
import { loaded, nodeIn } from "../compile/example.ts";
import { workflowFileSchema } from "../document.ts";
import { load } from "../load.ts";

/** What people write who think of boxes and arrows: everything that can be left open is. */
const sketch = `version: 2
metadata: { name: Poem until it rhymes, description: A poet and an ear }
nodes:
  - id: start
    type: trigger
    position: { x: 0, y: 0 }
    data: { label: Start, triggerType: manual }
  - id: rounds
    type: loop
    style: { width: 500, height: 300 }
    data:
      label: Rounds
      maxIterations: 4
      dockSlots:
        - { name: round, type: iteration }
        - { name: memory, type: feedback }
        - { name: again, type: continue }
  - id: poet
    type: agent
    parentId: rounds
    extent: parent
    data:
      label: Poet
      runner: claude-code
      inputs: [{ name: taskPrompt, type: string }, { name: iteratePrompt, type: json }]
      outputs: [{ name: poem, type: json }]
  - id: ear
    type: agent
    parentId: rounds
    data:
      label: Ear
      runner: codex
      prompt: Does it rhyme?
      outputSchema: |
        { "type": "object", "properties": { "ok": { "type": "boolean" }, "feedback": { "type": "string" } } }
edges:
  - { id: a, source: start, target: rounds, targetHandle: "input:theme" }
  - { id: b, source: rounds, target: poet, sourceHandle: "dock:round:output", targetHandle: "input:taskPrompt" }
  - { id: c, source: rounds, target: poet, sourceHandle: "dock:memory:prev", targetHandle: "input:iteratePrompt" }
  - { id: d, source: poet, target: rounds, sourceHandle: "output:poem", targetHandle: "dock:memory:current" }
  - { id: e, source: poet, target: ear, sourceHandle: "output:poem" }
  - { id: f, source: ear, target: rounds, sourceHandle: "output:ok", targetHandle: "dock:again:input" }
`;

test("a sketch that leaves everything open loads, and every gap is reported at its line", () => {
  const { reported, edges, graph } = loaded(sketch);
  expect(reported).toEqual([
    "5 implied-node-type",
    "9 implied-node-type",
    "18 implied-session",
    "19 implied-node-type",
    "28 implied-node-type",
    "37 implied-source-handle",
    "37 created-port",
    "38 task-for-iteration",
    "39 added-feedback",
    "41 implied-target-handle",
    "42 inverted-continue",
  ]);
  expect(edges).toEqual([
    "start.text > rounds.theme",
    "rounds:theme > poet.taskPrompt",
    "rounds[memory] > poet.iteratePrompt",
    "poet.poem > rounds[memory]",
    "poet.poem > ear.input",
    "ear.ok > rounds[again]",
    "ear.feedback > rounds[memory]",
  ]);
  expect(nodeIn(graph, "loop", "rounds")).toMatchObject({
    maxIterations: 4,
    docks: [
      { name: "round", type: "iteration", keyed: false },
      { name: "memory", type: "feedback", keyed: true },
      { name: "again", type: "until", keyed: false },
    ],
  });
  expect(nodeIn(graph, "agent", "poet")).toMatchObject({
    provider: "claude",
    session: { name: "poet", scope: "run" },
    prompt: null,
  });
  expect(graph.inputs.map(({ name, required }) => [name, required])).toEqual([["text", false]]);
});

test("under strict each of its gaps is an error", () => {
  const { graph, findings } = load(sketch, { strict: true });
  expect(graph).toBeNull();
  expect(findings.every(({ severity }) => severity === "error")).toBe(true);
});

test("the same as JSON, in any of the versions", () => {
  const file = parse(sketch);
  expect(workflowFileSchema.safeParse(file).success).toBe(true);
  for (const version of [1, 2, 3]) {
    const { graph } = load(JSON.stringify({ ...file, version }));
    expect(graph?.nodes.map(({ id }) => id)).toEqual(["start", "rounds", "poet", "ear"]);
  }
});

/** The same thought, with nothing left open. */
const spelt = `version: 3
metadata: { name: Poem until it rhymes }
nodes:
  - { id: start, type: trigger, data: { nodeType: trigger, outputs: [{ name: text, type: string }] } }
  - id: rounds
    type: loop
    data:
      nodeType: loop
      inputs: [{ name: theme, type: string }]
      outputs: [{ name: final, type: string }]
      dockSlots:
        - { name: again, type: continue, valueType: boolean }
        - { name: session, type: feedback, valueType: string }
        - { name: said, type: feedback, valueType: string }
  - id: poet
    type: agent
    parentId: rounds
    data:
      nodeType: agent
      runner: claude-code
      prompt: "A poem about {{ inputs.theme }}. {{ inputs.said }}"
      inputs:
        - { name: theme, type: string }
        - { name: said, type: string, required: false }
        - { name: sessionId, type: string, required: false }
      outputs: [{ name: output, type: string }, { name: sessionId, type: string }]
  - id: ear
    type: agent
    parentId: rounds
    data:
      nodeType: agent
      runner: codex
      prompt: "Does it rhyme? {{ inputs.poem }}"
      inputs: [{ name: poem, type: string }]
      outputSchema: { type: object, properties: { ok: { type: boolean }, feedback: { type: string } } }
  - { id: not, type: function, parentId: rounds, data: { nodeType: function, code: "return { result: !inputs.value }", inputs: [{ name: value, type: boolean }], outputs: [{ name: result, type: boolean }] } }
edges:
  - { id: a, source: start, target: rounds, sourceHandle: "output:text", targetHandle: "input:theme" }
  - { id: b, source: rounds, target: poet, sourceHandle: "input:theme:internal", targetHandle: "input:theme" }
  - { id: c, source: rounds, target: poet, sourceHandle: "dock:session:prev", targetHandle: "input:sessionId" }
  - { id: d, source: rounds, target: poet, sourceHandle: "dock:said:prev", targetHandle: "input:said" }
  - { id: e, source: poet, target: rounds, sourceHandle: "output:sessionId", targetHandle: "dock:session:current" }
  - { id: f, source: poet, target: ear, sourceHandle: "output:output", targetHandle: "input:poem" }
  - { id: g, source: ear, target: rounds, sourceHandle: "output:feedback", targetHandle: "dock:said:current" }
  - { id: h, source: ear, target: not, sourceHandle: "output:ok", targetHandle: "input:value" }
  - { id: i, source: not, target: rounds, sourceHandle: "output:result", targetHandle: "dock:again:input" }
  - { id: j, source: poet, target: rounds, sourceHandle: "output:output", targetHandle: "output:final:internal" }
`;

test("a file that leaves nothing open has nothing to tell, and its session goes as it is wired", () => {
  const { reported, graph } = loaded(spelt, { strict: true });
  expect(reported).toEqual([]);
  expect(nodeIn(graph, "agent", "poet").session).toBeNull();
  expect(nodeIn(graph, "loop", "rounds").docks[0]?.type).toBe("continue");
  expect(graph.edges.map(({ id }) => id).join("")).toBe("abcdefghij");
});

test("edges with one id, or with none, get ids of their own", () => {
  const { graph } = loaded(spelt.replace("{ id: b,", "{ id: a,").replace("{ id: c, ", "{ "));
  expect(new Set(graph.edges.map(({ id }) => id)).size).toBe(10);
});
