import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { Graph } from "./graph.ts";
import { load } from "./load.ts";
import { migrateFile } from "./migrate.ts";

function migrate(text: string) {
  const result = migrateFile(text);
  if ("findings" in result) throw new Error(JSON.stringify(result.findings));
  return result;
}

/** What a run would do, wherever it is in the file. */
function meaning(text: string): unknown {
  const { graph } = load(text);
  const parts = (given: Graph) => ({
    ...given,
    nodes: given.nodes.map((node) => ({ ...node, position: null })),
    edges: given.edges.map((edge) => ({ ...edge, id: null, position: null })),
  });
  return graph && parts(graph);
}

const warnings = (text: string) => load(text).findings.map(({ code }) => code);

const legacy = `# a file of old
version: 2
metadata: { name: Old }
legacyPersistentResumes: true # as it was
nodes:
  - id: start
    type: trigger
    data:
      # what people see
      label: Start
  - id: nothing
    type: wire
  - id: a
    type: agent
    data:
      label: A # the first
      runner: scripted
      session_type: temporary   # nothing is kept
      cwd: src
      continueOnFailure: true
      prompt: >
        Do this,
        and that.
  - id: b
    type: agent
    data:
      label: B
      agent_id: anna
      session_type: persistent
      prompt: Continue.
edges:
  - source: start
    target: a
  - { source: a, target: b }
`;

test("older words become today's, and nothing else is touched", () => {
  const { text, changes } = migrate(legacy);
  expect(text).toBe(`# a file of old
version: 2
metadata: { name: Old }
nodes:
  - id: start
    type: trigger
    data:
      # what people see
      label: Start
      nodeType: trigger
  - id: nothing
    type: wire
    data:
      nodeType: wire
  - id: a
    type: agent
    data:
      label: A # the first
      nodeType: agent
      runner: scripted
      mode: ephemeral   # nothing is kept
      folder: src
      onError: continue
      prompt: >
        Do this,
        and that.
  - id: b
    type: agent
    data:
      label: B
      nodeType: agent
      agentId: anna
      mode: inherit_resume
      prompt: Continue.
edges:
  - source: start
    sourceHandle: output:text
    target: a
    targetHandle: input:input
  - { source: a, sourceHandle: output:output, target: b, targetHandle: input:input }
`);
  expect(changes).toContainEqual({
    place: "node a",
    before: "session_type: temporary",
    after: "mode: ephemeral",
  });
  expect(changes).toContainEqual({
    place: "the file",
    before: "legacyPersistentResumes: true",
    after: null,
  });
  expect(meaning(text)).toEqual(meaning(legacy));
  expect(warnings(text)).toEqual(["unreachable-node"]);
});

test("a second time nothing changes", () => {
  const { text } = migrate(legacy);
  expect(migrate(text)).toEqual({ text, changes: [] });
});

test("a word that is there twice: the older one goes", () => {
  const text = `version: 2
metadata: { name: x }
nodes:
  - id: a
    type: agent
    data:
      session_type: persistent
      nodeType: agent
      mode: ephemeral
      runner: scripted
      folder: one
      cwd: two
      onError: skip
      continueOnFailure: true
      prompt: x
`;
  const migrated = migrate(text).text;
  expect(migrated).toBe(text.replace(/ +(session_type|cwd|continueOnFailure): .*\n/g, ""));
  expect(meaning(migrated)).toEqual(meaning(text));
});

const turned = `version: 2
metadata: { name: Turned }
nodes:
  - id: loop
    type: loop
    data:
      nodeType: loop
      dockSlots:
        - { name: continue, type: continue }
        - name: session
          type: feedback
  - id: coder
    type: agent
    parentId: loop
    data:
      nodeType: agent
      runner: scripted
      resumable: true
      prompt: Work.
      outputs: [{ name: approved, type: boolean }]
edges:
  - source: coder
    sourceHandle: output:approved
    target: loop
    targetHandle: dock:continue:input # until then
`;

test("a dock that was meant the other way gets the other type, and the edges its name", () => {
  const { text } = migrate(turned);
  expect(text).toContain("- { name: until, type: until }");
  expect(text).toContain("targetHandle: dock:until:input # until then");
  expect(text).toContain("session: coder");
  expect(text).not.toContain("resumable");
  expect(warnings(text)).not.toContain("inverted-continue");
  expect(load(text).graph?.nodes[0]).toMatchObject({
    docks: [{ name: "until", type: "until" }, {}],
  });
  expect(migrate(text).changes).toEqual([]);
});

test("what several nodes share is only changed where that is true for all of them", () => {
  const text = `version: 2
metadata: { name: Shared }
nodes:
  - id: a
    type: agent
    data: &both
      runner: scripted
      prompt: Do it.
      cwd: src
      resumable: true
  - id: b
    type: agent
    data: *both
  - id: c
    type: agent
    data:
      <<: *both
      label: C
`;
  const migrated = migrate(text).text;
  expect(migrated).toContain("folder: src");
  expect(migrated).not.toContain("session: a");
  expect(migrated).toMatch(/label: C\n {6}nodeType: agent\n/);
  expect(meaning(migrated)).toEqual(meaning(text));
  expect(migrate(migrated).changes).toEqual([]);
});

test("JSON stays JSON", () => {
  const text = JSON.stringify({
    version: 2,
    metadata: { name: "x" },
    nodes: [
      {
        id: "a",
        type: "agent",
        data: { runner: "scripted", session_type: "temporary", prompt: "x" },
      },
      { id: "b", type: "agent", data: { runner: "scripted", prompt: "y" } },
    ],
    edges: [{ source: "a", target: "b" }],
  });
  const migrated = migrate(text).text;
  expect(JSON.parse(migrated)).toMatchObject({
    nodes: [{ data: { nodeType: "agent", mode: "ephemeral" } }, { data: { nodeType: "agent" } }],
    edges: [{ sourceHandle: "output:output", targetHandle: "input:input" }],
  });
  expect(meaning(migrated)).toEqual(meaning(text));
});

describe("several ports that one node has to declare", () => {
  const file = (inputs: unknown) => ({
    version: 3,
    metadata: { name: "Two ports" },
    nodes: [
      { id: "a", type: "constant", data: { nodeType: "constant", value: "one" } },
      {
        id: "f",
        type: "function",
        data: {
          nodeType: "function",
          code: "return { y: inputs.x }",
          ...(inputs ? { inputs } : {}),
        },
      },
      { id: "s", type: "shell", data: { nodeType: "shell", script: "ls" } },
    ],
    edges: [
      { source: "a", sourceHandle: "output:value", target: "f", targetHandle: "input:x" },
      { source: "a", sourceHandle: "output:value", target: "f", targetHandle: "input:y" },
      { source: "a", sourceHandle: "output:value", target: "f", targetHandle: "input:y" },
      { source: "f", sourceHandle: "output:y", target: "s", targetHandle: "input:y" },
      { source: "f", sourceHandle: "output:z", target: "s", targetHandle: "input:input" },
    ],
  });
  const ways: readonly (readonly [string, (value: unknown) => string])[] = [
    ["in blocks", (value) => stringify(value)],
    ["in braces", (value) => stringify(value, { collectionStyle: "flow" })],
    ["in JSON", (value) => JSON.stringify(value)],
    ["in JSON over lines", (value) => JSON.stringify(value, null, 2)],
  ];

  test.each(
    ways.flatMap(([way, write]) =>
      [null, [], [{ name: "w" }]].map(
        (inputs) => [way, JSON.stringify(inputs), write(file(inputs)), inputs ?? []] as const,
      ),
    ),
  )("%s, where there was %s", (way, _, text, inputs) => {
    expect(warnings(text)).toContain("created-port");
    const migrated = migrate(text);
    const names = (ports: readonly string[]) => ports.map((name) => ({ name }));
    expect(parse(migrated.text).nodes).toMatchObject([
      {},
      { data: { inputs: [...inputs, ...names(["x", "y"])], outputs: names(["y", "z"]) } },
      { data: { inputs: names(["y", "input"]) } },
    ]);
    if (way.includes("JSON")) expect(() => JSON.parse(migrated.text)).not.toThrow();
    expect(warnings(migrated.text)).toEqual([]);
    expect(migrate(migrated.text).changes).toEqual([]);
  });
});

test("the short form, also inside of loops, and lines that end as on Windows", () => {
  const text = `name: Short
steps:
  review:
    loop:
      until: coder.success
      steps:
        coder:
          runner: scripted
          prompt: Do it.
          cwd: src
          session_type: temporary
`.replaceAll("\n", "\r\n");
  const { text: migrated, changes } = migrate(text);
  expect(migrated).toBe(
    text.replace("cwd: src", "folder: src").replace("session_type: temporary", "mode: ephemeral"),
  );
  expect(changes).toHaveLength(2);
});

test("a file that cannot be read is reported, and not changed", () => {
  expect(migrateFile("nodes: [")).toMatchObject({ findings: [{ severity: "error" }] });
  expect(migrateFile("version: 2\nmetadata: { name: x }\nnodes:\n  - id: a\n")).toMatchObject({
    findings: [{ severity: "error" }],
  });
});
