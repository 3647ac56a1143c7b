import { expect, test } from "vitest";
import { parse } from "yaml";
import { formatFile } from "./format-file.ts";
import { load } from "./load.ts";

function format(text: string): string {
  const result = formatFile(text);
  if ("findings" in result) throw new Error(result.findings[0]?.message);
  return result.text;
}

test("keys get their order, lines their indentation, and every comment stays with its line", () => {
  const text = `# What this is.

metadata:
    description: Two agents   # short
    # for keys
    name: Review
version: 2
edges:
- target: b   # second
  source: a
  # where it ends
  targetHandle: input:prompt


  id: e1
nodes:
# the first
- data:
    prompt: |
      # no comment
        indented
    runner: scripted
    label: A
  type: agent
  id: a
  # last line of a
- { type: agent, id: b, data: { runner: scripted } } # the second
# the end
`;
  const expected = `# What this is.

version: 2
metadata:
  # for keys
  name: Review
  description: Two agents # short
nodes:
  # the first
  - id: a
    type: agent
    data:
      label: A
      runner: scripted
      prompt: |
        # no comment
          indented
    # last line of a
  - { id: b, type: agent, data: { runner: scripted } } # the second
edges:
  - id: e1
    source: a
    target: b # second
    # where it ends
    targetHandle: input:prompt

# the end
`;
  expect(format(text)).toBe(expected);
  expect(format(expected)).toBe(expected);
  expect(parse(expected)).toEqual(parse(text));
  expect(load(expected).graph).toEqual({
    ...load(text).graph,
    nodes: expect.any(Array),
    edges: expect.any(Array),
  });
  const names = (file: string) => load(file).graph?.nodes.map(({ id, type }) => `${id} ${type}`);
  expect(names(expected)).toEqual(names(text));
});

test("the short form, with loops inside of it", () => {
  const text = `steps:
  review:
    loop:
      steps:
        coder: {prompt: Do it., agent: scripted, needs: []}
      max: 3
      until: coder.success
    needs: start
  start:
    onError: skip
    shell: "true"
name: Short
outputs: {result: review.iterations}
`;
  expect(format(text)).toBe(`name: Short
steps:
  review:
    needs: start
    loop:
      until: coder.success
      max: 3
      steps:
        coder: { needs: [], agent: scripted, prompt: Do it. }
  start:
    shell: "true"
    onError: skip
outputs: { result: review.iterations }
`);
});

test("anchors stay before what refers to them", () => {
  const text = `metadata: { name: x }
version: 2
nodes:
  - id: a
    type: agent
    data:
      outputs: &ports
        - type: json
          name: result
      label: A
      inputs: *ports
  - id: b
    type: agent
    data:
      <<: &base
        runner: codex
        label: B
  - data: { <<: *base }
    id: c
    type: agent
`;
  const formatted = format(text);
  expect(parse(formatted, { merge: true })).toEqual(parse(text, { merge: true }));
  expect(formatted).toContain("outputs: &ports");
  expect(formatted).toContain("inputs: *ports");
  expect(formatted).toContain("<<: *base");
  // Where nothing refers to anything the order is the usual one all the same.
  expect(formatted).toMatch(/^version: 2\n/);
  expect(format(formatted)).toBe(formatted);
});

test.each([
  ["folded", "x: >", "  one line", "  and another", "", "  a paragraph"],
  ["folded, without its last newline", "x: >-", "  one line", "  and another"],
  ["folded, with all of them", "x: >+", "  one line", "  and another", "", "y: 1"],
  ["folded, with lines that stand deeper", "x: >", "  one line", "    - deeper", "  back"],
  ["folded, with a comment", "x: > # why", "  one line", "  and another"],
  ["literal", "x: |", "  one line", "  and another"],
  ["long", `x: ${"word ".repeat(60)}end`],
  ["quoted", 'x: "tab \\t, quote \\" and {{ place }}"', "y: 'single'"],
])("a text that is %s keeps its lines", (_, ...lines) => {
  const indented = lines.map((line) => (line === "" ? "" : `      ${line}`));
  const head = ["nodes:", "  - id: a", "    type: agent", "    data:"];
  const text = [...head, ...indented, ""].join("\n");
  expect(format(text)).toBe(text);
  // Also where it is moved.
  const moved = ["nodes:", "  - data:", ...indented, "    id: a", "    type: agent", ""].join("\n");
  expect(format(moved)).toBe(text);
});

test.each([
  ["empty", "x: >\n\ny: 1\n"],
  ["with an indentation of its own", "x: >2\n    deep\n  less\n"],
])("a folded text that is %s means the same afterwards", (_, text) => {
  expect(parse(format(text))).toEqual(parse(text));
  expect(format(format(text))).toBe(format(text));
});

test("JSON stays JSON", () => {
  expect(format('{"nodes":[{"type":"agent","id":"a"}],"version":2}')).toBe(
    `${JSON.stringify({ version: 2, nodes: [{ id: "a", type: "agent" }] }, null, 2)}\n`,
  );
});

test("what cannot be read is reported with its place, and nothing is changed", () => {
  const result = formatFile("nodes:\n  - id: a\n   type: agent\n");
  expect(result).toMatchObject({ findings: [{ severity: "error", position: { line: 3 } }] });
});

test.each([
  ["an empty file", "", "empty-file"],
  ["nothing but a comment", "# soon\n", "empty-file"],
  ["a list", "- a\n", "not-a-mapping"],
  ["two documents", "name: x\n---\nname: y\n", "bad-yaml"],
])("%s is not a workflow, and stays unchanged", (_, text, code) => {
  expect(formatFile(text)).toMatchObject({ findings: [{ severity: "error", code }] });
});

test("numbers, nulls and odd words are kept as they were written", () => {
  const text = "version: 2\nmetadata:\n  name: x\n  a: 1.50\n  c: ~\n  d: Yes\n  e: True\n";
  expect(format(text)).toBe(text);
});
