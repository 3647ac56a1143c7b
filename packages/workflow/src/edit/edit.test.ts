import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { load } from "../load.ts";
import { edit, editValue } from "./edit.ts";
import type { WorkflowEdit } from "./workflow-edit.ts";

const short = `# Reviews until it is right.
name: Review   # shown in lists
inputs: { task: string }

steps:
  # The one that writes.
  coder:
    agent: claude   # the newest
    prompt: |
      Do this: {{ inputs.task }}

      As {{reviewer.feedback}} says.
  'reviewer':
    agent: "codex"
    needs: [ coder, coder ]
    inputs: {work: coder.output}
    prompt: Is {{ coder.output }} right?
    returns: { approved: boolean, feedback: string }

  check:
    shell: "make test" # fast
    needs: coder

outputs:
  text: coder.output
`;

const long = `version: 2
metadata: {name: Review}
nodes:
  - id: start     # begins
    type: trigger
    data: {nodeType: trigger}
  - id: loop
    type: loop
    data:
      nodeType: loop
      inputs: [{ name: task }]
      dockSlots:
        - { name: until, type: until }
  # The coder.
  - id: coder
    type: agent
    parentId: loop
    position: {x: 1, y: 2}
    data:
      nodeType: agent
      runner: claude-code
      prompt: "Do {{ start.text }}"
edges:
  - {id: e1, source: start, sourceHandle: output:text, target: loop, targetHandle: input:task}
  - id: e2
    source: coder # it decides
    sourceHandle: output:success
    target: loop
    targetHandle: dock:until:input
`;

/** Lines of the first text that the second does not have, and the other way round. */
function difference(before: string, after: string): { lost: string[]; added: string[] } {
  const rest = after.split("\n");
  const lost = before.split("\n").filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return { lost, added: rest };
}

const changed = (text: string, wanted: WorkflowEdit) => difference(text, edit(text, wanted));

describe("the short form", () => {
  test("a node is renamed with everything that refers to it", () => {
    expect(changed(short, { do: "rename-node", id: "coder", to: "author" })).toEqual({
      lost: [
        "  coder:",
        "    needs: [ coder, coder ]",
        "    inputs: {work: coder.output}",
        "    prompt: Is {{ coder.output }} right?",
        "    needs: coder",
        "  text: coder.output",
      ],
      added: [
        "  author:",
        "    needs: [ author, author ]",
        "    inputs: {work: author.output}",
        "    prompt: Is {{ author.output }} right?",
        "    needs: author",
        "  text: author.output",
      ],
    });
    expect(changed(short, { do: "rename-node", id: "reviewer", to: "critic" })).toEqual({
      lost: ["      As {{reviewer.feedback}} says.", "  'reviewer':"],
      added: ["      As {{critic.feedback}} says.", "  critic:"],
    });
  });

  test("a node is added, also to a loop", () => {
    const fields = { shell: "make deploy", needs: "check" };
    expect(changed(short, { do: "add-node", id: "deploy", fields })).toEqual({
      lost: [],
      added: ["  deploy:", "    shell: make deploy", "    needs: check"],
    });
    const loop = "name: x\nsteps:\n  l:\n    loop: {max: 2, steps: {a: {shell: ls}}} # small\n";
    expect(edit(loop, { do: "add-node", id: "b", parent: "l", fields: { shell: "pwd" } })).toBe(
      "name: x\nsteps:\n  l:\n    loop: {max: 2, steps: {a: {shell: ls}, b: { shell: pwd }}} # small\n",
    );
  });

  test("a node is removed with what is only there for it", () => {
    const without = edit(short, { do: "remove-node", id: "coder" });
    expect(difference(short, without)).toEqual({
      lost: [
        "  coder:",
        "    agent: claude   # the newest",
        "    prompt: |",
        "      Do this: {{ inputs.task }}",
        "      As {{reviewer.feedback}} says.",
        "    needs: [ coder, coder ]",
        "    inputs: {work: coder.output}",
        "    needs: coder",
        "  text: coder.output",
        "",
      ],
      added: ["    inputs: {}", "  {}"],
    });
  });

  test("a field is set, added and removed", () => {
    const set = (field: string, value?: unknown) =>
      changed(short, { do: "set-field", id: "coder", field, value });
    expect(set("agent", "codex")).toEqual({
      lost: ["    agent: claude   # the newest"],
      added: ["    agent: codex   # the newest"],
    });
    expect(set("timeout", "5m")).toEqual({ lost: [], added: ["    timeout: 5m"] });
    expect(set("agent").lost).toEqual(["    agent: claude   # the newest"]);
    expect(set("prompt", "One\nTwo\n").added).toEqual(["      One", "      Two"]);
    expect(edit(short, { do: "set-field", id: "coder", field: "none" })).toBe(short);
    const inner: WorkflowEdit = {
      do: "set-field",
      id: "reviewer",
      field: ["returns", "score"],
      value: "number",
    };
    expect(changed(short, inner).added).toEqual([
      "    returns: { approved: boolean, feedback: string, score: number }",
    ]);
  });

  test("steps are connected and disconnected", () => {
    const to = (node: string, port?: string) => ({ node, port: port ?? null });
    expect(
      changed(short, { do: "connect", from: to("coder", "output"), to: to("check", "code") }).added,
    ).toEqual(["    inputs:", "      code: coder.output"]);
    expect(changed(short, { do: "connect", from: to("reviewer"), to: to("check") })).toEqual({
      lost: ["    needs: coder"],
      added: ["    needs:", "      - coder", "      - reviewer"],
    });
    expect(changed(short, { do: "disconnect", from: to("coder"), to: to("check") })).toEqual({
      lost: ["    needs: coder"],
      added: [],
    });
    expect(() => edit(short, { do: "disconnect", from: to("check"), to: to("coder") })).toThrow(
      'Nothing leads from "check" to "coder".',
    );
  });
});

describe("the long form", () => {
  test("a node is renamed in edges, parents and templates", () => {
    expect(changed(long, { do: "rename-node", id: "loop", to: "again" }).added).toEqual([
      "  - id: again",
      "    parentId: again",
      "  - {id: e1, source: start, sourceHandle: output:text, target: again, targetHandle: input:task}",
      "    target: again",
    ]);
    expect(changed(long, { do: "rename-node", id: "start", to: "begin" }).added).toEqual([
      "  - id: begin     # begins",
      '      prompt: "Do {{ begin.text }}"',
      "  - {id: e1, source: begin, sourceHandle: output:text, target: loop, targetHandle: input:task}",
    ]);
  });

  test("a loop is removed with its nodes and edges", () => {
    const text = edit(long, { do: "remove-node", id: "loop" });
    expect(parse(text)).toEqual({
      version: 2,
      metadata: { name: "Review" },
      nodes: [{ id: "start", type: "trigger", data: { nodeType: "trigger" } }],
      edges: [],
    });
    expect(text).toContain("  - id: start     # begins\n");
  });

  test("nodes and edges are added and removed", () => {
    const node: WorkflowEdit = {
      do: "add-node",
      id: "check",
      type: "shell",
      parent: "loop",
      fields: { script: "make" },
    };
    const added = edit(long, node);
    expect(difference(long, added).lost).toEqual([]);
    const connected = edit(added, {
      do: "connect",
      from: { node: "coder", port: "output" },
      to: { node: "check" },
    });
    expect(difference(added, connected)).toEqual({
      lost: [],
      added: [
        "  - source: coder",
        "    sourceHandle: output:output",
        "    target: check",
        "    targetHandle: wait",
      ],
    });
    expect(load(connected).findings).toEqual([]);
    const from = { node: "coder", port: "output" };
    expect(edit(connected, { do: "disconnect", from, to: { node: "check" } })).toBe(added);
    expect(edit(added, { do: "remove-node", id: "check" })).toBe(long);
  });
});

test("an anchor moves to the first place that still uses it", () => {
  const text =
    "name: x\nsteps:\n  a: { agent: &who claude, prompt: hi }\n  b: { agent: *who, prompt: hi }\n";
  expect(edit(text, { do: "remove-node", id: "a" })).toBe(
    "name: x\nsteps:\n  b: { agent: &who claude, prompt: hi }\n",
  );
});

describe("what cannot be edited is refused", () => {
  test.each([
    ["a text that is not a workflow", "- a\n", { do: "remove-node", id: "a" }, "contains a list"],
    ["an unknown node", short, { do: "remove-node", id: "codr" }, 'There is no node "codr".'],
    ["a name that is taken", short, { do: "rename-node", id: "coder", to: "check" }, "already"],
  ] as const)("%s", (_, text, wanted, message) => {
    expect(() => edit(text, wanted)).toThrow(message);
  });

  test("a part that several steps share", () => {
    const text =
      "name: x\nsteps:\n  a: &base { shell: ls }\n  b: *base\n  c: { <<: *base, env: {} }\n";
    for (const id of ["a", "b"])
      expect(() => edit(text, { do: "set-field", id, field: "timeout", value: "5m" })).toThrow(
        'shared by the anchor "base"',
      );
    expect(edit(text, { do: "set-field", id: "c", field: "timeout", value: "5m" })).toBe(
      text.replace("env: {} }", "env: {}, timeout: 5m }"),
    );
    expect(edit(text, { do: "rename-node", id: "b", to: "d" })).toBe(text.replace("b:", "d:"));
  });
});

const folder = new URL("../../../../examples/", import.meta.url);
const examples = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => readFileSync(new URL(name, folder), "utf8"));

/** The ids of a file, in either form. */
function idsOf(value: { nodes?: { id: string }[]; steps?: object }): string[] {
  const steps = (inner: object): string[] =>
    Object.entries(inner).flatMap(([id, step]) => [id, ...steps(step?.loop?.steps ?? {})]);
  return value.nodes?.map(({ id }) => id) ?? steps(value.steps ?? {});
}

const scalar = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "a: b",
    "# no comment",
    "- x",
    "one\ntwo\n",
    " spaces ",
    "null",
    "yes",
    "{{ x }}",
  ),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string(), { maxLength: 2 }),
  fc.record({ a: fc.string(), b: fc.integer() }),
);

/** A file and an edit that fits it. */
const editing = fc.constantFrom(short, long, ...examples).chain((text) => {
  const ids = idsOf(parse(text, { merge: true }));
  const id = fc.constantFrom(...ids);
  const port = fc.constantFrom(null, "output", "x");
  const end = fc.record({ node: id, port });
  const wanted: fc.Arbitrary<WorkflowEdit> = fc.oneof(
    fc.record({ do: fc.constant("remove-node" as const), id }),
    fc.record({ do: fc.constant("rename-node" as const), id, to: fc.constant("renamed") }),
    fc.record({
      do: fc.constant("add-node" as const),
      id: fc.constant("added"),
      type: fc.constant("shell"),
      fields: fc.record({ shell: fc.string({ minLength: 1 }), timeout: fc.integer({ min: 1 }) }),
    }),
    fc.record({
      do: fc.constant("set-field" as const),
      id,
      field: fc.constantFrom("prompt", "label", "timeout", "needs"),
      value: scalar,
    }),
    fc.record({ do: fc.constant("connect" as const), from: end, to: end }),
  );
  return fc.tuple(fc.constant(text), wanted);
});

test("whatever the edit: the text says the same as the edited values, and no comment is lost", () => {
  fc.assert(
    fc.property(editing, ([text, wanted]) => {
      const after = edit(text, wanted);
      expect(parse(after, { merge: true })).toEqual(
        editValue(parse(text, { merge: true }), wanted),
      );
      if (wanted.do === "remove-node") return;
      const { lost } = difference(text, after);
      const comments = (lines: string) => lines.match(/(?<=^|\s)# .*$/gm)?.length ?? 0;
      const isText = wanted.do === "set-field";
      if (!isText) expect(comments(after)).toBeGreaterThanOrEqual(comments(text));
      if (wanted.do === "add-node") expect(lost.length).toBeLessThanOrEqual(1);
      if (wanted.do === "connect") expect(lost.length).toBeLessThanOrEqual(1);
      if (wanted.do === "rename-node") for (const line of lost) expect(line).toContain(wanted.id);
    }),
    { numRuns: 300 },
  );
});
