import { describe, expect, test } from "vitest";
import { type LoadOptions, load as loadText } from "./load.ts";
import { exampleRunners } from "./runners-example.ts";

const load = (text: string, options?: LoadOptions) =>
  loadText(text, { runners: exampleRunners, ...options });

/** The findings as `line:column code`. */
const places = (text: string, options?: LoadOptions) =>
  load(text, options).findings.map(
    ({ code, position }) => `${position?.line}:${position?.column} ${code}`,
  );

const long = (nodes: string, edges = "") =>
  `version: 2\nmetadata: { name: x }\nnodes:\n${nodes}edges:\n${edges || "  []\n"}`;
const shell = (id: string, script = "ls") =>
  `  - { id: ${id}, type: shell, data: { nodeType: shell, script: "${script}" } }\n`;

describe("what is wrong is said once, with the place and what to do", () => {
  test.each([
    ["an empty file", "", "1:1 empty-file", "Write a workflow"],
    ["nothing but a comment", "# soon\n", "1:1 empty-file", "Write a workflow"],
    ["a list", "- a\n", "1:1 not-a-mapping", "Write a mapping"],
    ["a word", "hello", "1:1 not-a-mapping", "Write a mapping"],
    ["invalid YAML", "name: x\nsteps:\n  a: { shell: ls\n  b: 1\n", "4:3 bad-yaml", "indentation"],
    [
      "two documents",
      "name: x\nsteps: { a: { shell: ls } }\n---\nname: y\n",
      "3:1 bad-yaml",
      "another file",
    ],
    ["invalid JSON", '{"name": "x", "steps": {"a": {"shell": "ls"}', "1:45 bad-yaml", "quotes"],
    [
      "aliases of aliases",
      `a: &a [${"x,".repeat(20)}]\nb: &b [${"*a,".repeat(20)}]\nc: [${"*b,".repeat(20)}]\n`,
      "1:1 bad-yaml",
      "Write the values out.",
    ],
    [
      "an alias inside of what it names (W9)",
      "name: x\nsteps:\n  a: &x\n    constant: [1, *x]\n",
      "4:19 bad-yaml",
      "Write the inner value out.",
    ],
    ["no version", "metadata: { name: x }\nnodes: []\n", "1:1 missing-key", "1, 2 or 3"],
    [
      "an unknown version",
      "version: 4\nmetadata: { name: x }\nnodes: []\n",
      "1:10 bad-value",
      "Correct",
    ],
    ["no name", "steps:\n  a: { shell: ls }\n", "1:1 missing-key", "Write name:"],
    [
      "nodes that are not a list",
      "version: 1\nmetadata: { name: x }\nnodes: {}\n",
      "3:8 bad-value",
      "a mapping now",
    ],
    [
      "an unknown node type",
      long("  - { id: a, type: agnet }\n"),
      "4:20 unknown-node-type",
      '"agent"',
    ],
    ["no type at all", long("  - { id: a }\n"), "4:5 missing-key", "Write type:"],
    ["a node type of later", long("  - { id: a, type: map }\n"), "4:20 not-supported", "Remove"],
    [
      "a component",
      long("  - { id: a, data: { nodeType: component } }\n"),
      "4:32 not-supported",
      "Remove",
    ],
    ["an id with a slash", long(shell("a/b")), "4:11 bad-id", "without /"],
    ["two nodes with one id", long(shell("a") + shell("a")), "5:5 duplicate-node", "its own id"],
    [
      "an edge to nowhere",
      long(shell("alpha"), "  - { source: alpha, target: alhpa }\n"),
      "6:30 unknown-node",
      '"alpha"',
    ],
    [
      "an output that a shell does not have",
      long(
        shell("a") + shell("b"),
        '  - { source: a, target: b, sourceHandle: "output:stdot", targetHandle: wait }\n',
      ),
      "7:43 unknown-port",
      '"stdout"',
    ],
    [
      "an input that an output node does not have",
      long(
        `${shell("a")}  - { id: o, type: output, data: { nodeType: output } }\n`,
        "  - { source: a, target: o, sourceHandle: 'output:output', targetHandle: 'input:valu' }\n",
      ),
      "7:74 unknown-port",
      '"value"',
    ],
    [
      "no handle",
      long(shell("a") + shell("b"), "  - { source: a, target: b, sourceHandle: 'port:x' }\n"),
      "7:43 bad-handle",
      "output:<name>",
    ],
    [
      "a dock that is not there",
      long(
        `  - { id: l, type: loop, data: { nodeType: loop, dockSlots: [{ name: again, type: continue }] } }\n  - { id: a, type: shell, parentId: l, data: { nodeType: shell, script: ls } }\n`,
        "  - { source: a, target: l, sourceHandle: 'output:success', targetHandle: 'dock:agian:input' }\n",
      ),
      "7:75 unknown-dock",
      '"again"',
    ],
    [
      "a parent that is not there",
      long(
        "  - { id: a, type: shell, parentId: lop, data: { nodeType: shell, script: ls } }\n  - { id: loop, type: loop, data: { nodeType: loop } }\n",
      ),
      "4:37 unknown-node",
      '"loop"',
    ],
    [
      "a parent that is not a loop",
      long(
        `${shell("b")}  - { id: a, type: shell, parentId: b, data: { nodeType: shell, script: ls } }\n`,
      ),
      "5:37 not-a-loop",
      "Only loops",
    ],
    [
      "a loop in itself",
      long("  - { id: l, type: loop, parentId: l, data: { nodeType: loop } }\n"),
      "4:5 loop-in-itself",
      "outermost loop",
    ],
    [
      "a wrong value",
      long("  - { id: a, type: shell, data: { nodeType: shell, script: ls, onError: contine } }\n"),
      "4:73 bad-value",
      '"continue"',
    ],
    [
      "no duration",
      long("  - { id: a, type: shell, data: { nodeType: shell, script: ls, timeout: soon } }\n"),
      "4:73 bad-value",
      "Correct",
    ],
    [
      "a schema that is not JSON",
      long(
        "  - { id: a, type: agent, data: { nodeType: agent, runner: codex, prompt: hi, outputSchema: '{' } }\n",
      ),
      "4:93 bad-output-schema",
      "JSON Schema",
    ],
    [
      "prompts in files",
      long(
        "  - { id: a, type: agent, data: { nodeType: agent, runner: codex, promptFiles: [x] } }\n",
      ),
      "4:67 not-supported",
      "into prompt",
    ],
    [
      "a step that says nothing",
      "name: x\nsteps:\n  a: { agnt: claude }\n",
      "3:3 bad-step",
      '"agent"',
    ],
    [
      "a step that says two things",
      "name: x\nsteps:\n  a: { shell: ls, gate: Go? }\n",
      "3:3 bad-step",
      "two steps",
    ],
    ["a step that is not a mapping", "name: x\nsteps:\n  a: ls\n", "3:6 bad-value", "shell:"],
    [
      "a step twice",
      "name: x\nsteps:\n  a: { shell: ls }\n  a: { shell: ls }\n",
      "4:3 bad-yaml",
      "its own name",
    ],
    [
      "a step twice, once in a loop",
      "name: x\nsteps:\n  a: { shell: ls }\n  l: { loop: { until: a.success, steps: { a: { shell: ls } } } }\n",
      "4:43 duplicate-node",
      "its own id",
    ],
    [
      "a key of a step",
      "name: x\nsteps:\n  a: { shell: ls, tiemout: 1s }\n",
      "3:19 unknown-key",
      '"timeout"',
    ],
    [
      "a key of a gate",
      "name: x\nsteps:\n  a: { gate: { titel: Go? } }\n",
      "3:16 unknown-key",
      '"title"',
    ],
    [
      "a need of nothing",
      "name: x\nsteps:\n  build: { shell: ls }\n  test: { shell: ls, needs: biuld }\n",
      "4:29 unknown-name",
      '"build"',
    ],
    [
      "an input of nothing",
      "name: x\ninputs: { task: string }\nsteps:\n  a: { function: return, inputs: { t: inputs.taks } }\n",
      "4:39 unknown-name",
      '"inputs.task"',
    ],
    [
      "a condition outside of its loop",
      "name: x\nsteps:\n  a: { shell: ls }\n  l: { loop: { until: a.success, steps: { b: { shell: ls } } } }\n",
      "4:23 bad-condition",
      "one of its steps",
    ],
    [
      "a condition that is not an output",
      "name: x\nsteps:\n  l: { loop: { until: b, steps: { b: { agent: codex, prompt: hi } } } }\n",
      "3:23 bad-condition",
      "until: b.<output>",
    ],
    [
      "two conditions",
      "name: x\nsteps:\n  l: { loop: { until: b.success, continue: b.success, steps: { b: { shell: ls } } } }\n",
      "3:23 bad-condition",
      "Keep one",
    ],
    [
      "an unknown runner",
      long(
        "  - { id: a, type: agent, data: { nodeType: agent, runner: cluade-code, prompt: hi } }\n",
      ),
      "4:60 bad-value",
      '"claude-code"',
    ],
    [
      "one by another key",
      "name: x\nsteps:\n  a: { agent: gemni, prompt: hi }\n",
      "3:15 bad-value",
      '"gemini"',
    ],
    [
      "a step of later",
      "name: x\nsteps:\n  a: { shell: ls }\n  b: { needs: a, map: { over: a.output } }\n",
      "4:18 not-supported",
      "Remove",
    ],
    [
      "two docks of one name",
      long(`  - id: l
    type: loop
    data:
      nodeType: loop
      dockSlots: [{ name: said, type: feedback }, { name: round, type: iteration }, { name: said, type: until }]
`),
      "8:93 duplicate-dock",
      "its own name",
    ],
    [
      "a field of a form whose type is none",
      "name: x\nsteps:\n  g:\n    gate:\n      title: Go?\n      fields: [{ name: a }, { name: n, type: numbre }]\n",
      "6:46 bad-value",
      '"number"',
    ],
    [
      "a key of a field that is misspelled",
      "name: x\nsteps:\n  g: { gate: { title: Go?, fields: [{ name: n, tpye: number }] } }\n",
      "3:48 unknown-key",
      '"type"',
    ],
    [
      "a list that holds something else",
      "name: x\nsteps:\n  j: { join: { of: [1, k] } }\n  k: { shell: ls }\n",
      "3:21 bad-value",
      "a number now",
    ],
    [
      "a number that must be more",
      "name: x\nparallel: 0\nsteps: { a: { shell: ls } }\n",
      "2:11 bad-value",
      "larger",
    ],
    [
      "what only a mistake elsewhere makes wrong, in the long form",
      long(`  - id: l
    type: loop
    data: { nodeType: loop, dockSlots: [{ name: again, type: contniue }] }
  - { id: s, type: shell, parentId: l, data: { nodeType: shell, script: ls } }
`),
      "6:62 bad-value",
      '"continue"',
    ],
    [
      "what only a mistake elsewhere makes wrong, in the short form",
      `name: x
steps:
  a: { shell: ls, timeuot: 3s }
  l: { loop: { until: b.success, max: 3, steps: { b: { shell: "{{ a.output }}" } } } }
  c: { needs: [a, b], inputs: { x: a.output }, shell: ls }
outputs: { y: b.output }
`,
      "3:19 unknown-key",
      '"timeout"',
    ],
    [
      "what is inside a step with an error",
      "name: x\nsteps:\n  l: { loop: { maxx: 3, steps: { b: { loop: { steps: { c: { shell: ls } } } } } } }\n  d: { needs: [b, c], shell: ls }\n",
      "3:16 unknown-key",
      '"max"',
    ],
  ])("%s", (_, text, place, hint) => {
    const { graph, findings } = load(text);
    expect(graph).toBeNull();
    expect(places(text).filter((found) => !found.includes("empty-loop"))).toContain(place);
    expect(findings.filter(({ severity }) => severity === "error")).toHaveLength(1);
    const error = findings.find(({ severity }) => severity === "error");
    expect(error?.hint).toContain(hint);
    expect(error?.message).toMatch(/\.$/);
  });

  test("a node in a loop that is not there is reported as a wrong parent only", () => {
    const node = (id: string, parent: string) =>
      `  - { id: ${id}, type: shell, parentId: ${parent}, data: { nodeType: shell, script: ls } }\n`;
    const hint = (nodes: string) => load(long(nodes)).findings.map((finding) => finding.hint);
    expect(hint(node("s", "l"))).toEqual(["Name a loop of this file."]);
    expect(
      hint(`${node("loop1", "loop2")}  - { id: loop3, type: loop, data: { nodeType: loop } }\n`),
    ).toEqual(['Did you mean "loop3"?']);
  });

  test("how much a number must be", () => {
    const reported = (text: string) => load(text).findings.map(({ message }) => message);
    expect(reported("name: x\nparallel: 0\nsteps: { a: { shell: ls } }\n")).toEqual([
      '"parallel" must be more than 0.',
    ]);
    expect(reported("name: x\nsteps: { a: { shell: ls, retry: { max: -1 } } }\n")).toEqual([
      '"max" must be at least 0.',
    ]);
  });

  test("all that names nothing, whether a step or an output of one", () => {
    expect(
      places("name: x\nsteps:\n  a: { shell: ls }\noutputs: { x: b.output, y: a.otput, z: a }\n"),
    ).toEqual(["4:15 unknown-name", "4:28 unknown-port"]);
  });

  test("errors come in the order of the file", () => {
    const text = long(shell("a") + shell("a"), "  - { source: b, target: c }\n") + shell("a");
    expect(load(text).graph).toBeNull();
    expect(
      places("name: x\nsteps:\n  a: { shel: ls }\n  b: { shell: ls, x: 1 }\n  c: 3\n"),
    ).toEqual(["3:3 bad-step", "4:19 unknown-key", "5:6 bad-value"]);
  });
});

describe("mistakes that have nothing to do with each other are reported in one go", () => {
  test.each([
    [
      "in the head, in steps, and in their texts",
      `name: x
inputs: { task: { type: string, defualt: x } }
steps:
  a: { shell: ls, retry: { max: 1, bakoff: 2 }, tiemout: 3s }
  b: { agent: cluade-code, prompt: "{{ nope.x }} {{ inputs.task }} {{ a.output }}" }
  c: { agent: openai, prompt: "{{ nope.y }}" }
  g: { gate: { title: x, fields: [{ name: v, requird: false }] } }
`,
      [
        "2:33 unknown-key",
        "4:36 unknown-key",
        "4:49 unknown-key",
        "5:15 bad-value",
        "5:37 unknown-name",
        "6:15 not-supported",
        "6:32 unknown-name",
        "7:46 unknown-key",
      ],
    ],
    [
      "in a head without a name, and in a loop with a mistake",
      `steps:
  l: { loop: { maxx: 3, until: b, steps: { b: { shell: "{{ nope.x }}", needs: nil } } } }
`,
      ["1:1 missing-key", "2:16 unknown-key", "2:57 unknown-name", "2:79 unknown-name"],
    ],
    [
      "in the long form",
      `version: 2
metadata: { nam: x }
nodes:
  - { id: a, type: shell, data: { nodeType: shell, script: "{{ nope.x }}", timeout: soon } }
  - { id: b, type: agent, data: { nodeType: agent, runner: openai, prompt: "{{ a.out }}" } }
edges: []
`,
      [
        "2:11 missing-key",
        "2:13 unknown-key",
        "4:61 unknown-name",
        "4:85 bad-value",
        "5:60 not-supported",
      ],
    ],
  ])("%s", (_, text, reported) => {
    expect(load(text).graph).toBeNull();
    expect(places(text)).toEqual(reported);
  });

  test.each([
    [
      "a default of an input whose type is wrong",
      "name: x\ninputs: { n: { type: nmber, default: 3 } }\nsteps: { a: { shell: 'echo {{ inputs.n }}' } }\n",
      "2:22 bad-value",
    ],
    [
      "an input of a step, and a result, where the inputs cannot be read",
      "name: x\ninptus: { n: number }\nsteps: { a: { inputs: { m: inputs.n }, shell: 'echo {{ inputs.m }}' } }\noutputs: { y: inputs.n }\n",
      "2:1 unknown-key",
    ],
    [
      "what a step would give back, and the loop that asks for it",
      'name: x\nsteps:\n  l: { loop: { until: a, steps: { a: { agent: codex, prompt: hi, retruns: { ok: boolean } }, b: { shell: "{{ a.ok }}" } } } }\n',
      "3:66 unknown-key",
    ],
    [
      "a place that names a step by its label",
      'name: x\nsteps:\n  a: { label: Tests, shel: ls }\n  b: { shell: "{{ Tests.output }}" }\n',
      "3:3 bad-step",
    ],
    [
      "a default of a field whose type is wrong",
      "name: x\nsteps: { g: { gate: { title: x, fields: [{ name: v, type: nmber, default: 3 }] } } }\n",
      "2:59 bad-value",
    ],
  ])("but not what follows from one: %s", (_, text, reported) => {
    expect(places(text)).toEqual([reported]);
  });
});

test("a runner without a provider is a warning: the file is in order, and cannot be run", () => {
  const text = "name: x\nsteps:\n  a: { agent: openai, prompt: hi }\n";
  const { graph, findings } = load(text);
  expect(graph).not.toBeNull();
  expect(findings).toEqual([
    {
      severity: "warning",
      code: "not-supported",
      message: 'This version has no provider for the runner "openai".',
      hint: "Use one of: claude-code, codex, scripted.",
      position: { line: 3, column: 15 },
      node: "a",
      port: null,
    },
  ]);
});

/** The findings as `code node.port`. */
const subjects = (text: string) =>
  load(text).findings.map(({ code, node, port }) => `${code} ${node}${port ? `.${port}` : ""}`);

describe("K4: a finding knows its node and its port", () => {
  test("in the short form, by where it is written", () => {
    expect(subjects("name: x\nsteps:\n  a: { shell: ls, needs: zzz }\n")).toEqual([
      "unknown-name a",
    ]);
    const inner = "name: x\nsteps:\n  l:\n    loop: { max: 2, steps: { b: { shel: ls } } }\n";
    expect(subjects(inner)).toEqual(["bad-step b"]);
    expect(subjects("name: x\nparalel: 2\nsteps: { a: { shell: ls } }\n")).toEqual([
      "unknown-key null",
    ]);
  });

  test("in the long form, also for what is wrong with an edge", () => {
    const edge = (text: string) => subjects(long(shell("a") + shell("b"), `  - ${text}\n`));
    expect(
      edge("{ source: a, sourceHandle: output:outptu, target: b, targetHandle: wait }"),
    ).toEqual(["unknown-port a.outptu"]);
    expect(
      edge("{ source: a, sourceHandle: output:output, target: c, targetHandle: wait }"),
    ).toEqual(["unknown-node a"]);
    expect(edge("{ source: a, sourceHandle: dock:x:prev, target: b, targetHandle: wait }")).toEqual(
      ["unknown-dock a.x"],
    );
  });

  test("in the checks of the graph", () => {
    const loop =
      "  - { id: l, type: loop, data: { nodeType: loop, dockSlots: [{ name: more, type: continue }] } }\n";
    const inside =
      "  - { id: a, type: shell, parentId: l, data: { nodeType: shell, script: ls } }\n";
    expect(subjects(long(loop + inside))).toEqual(["unwired-condition l.more"]);
  });
});

/** The warnings of a file in the short form, as `code node`. */
const warnings = (steps: string) => subjects(`name: x\nsteps:\n${steps}`);

describe("W11: what has another effect than it seems is a warning", () => {
  test("a text that is compared with a number", () => {
    const branch = (value: string, equals: string) =>
      warnings(`  a: { shell: ls }\n  b: { branch: { value: ${value}, equals: ${equals} } }\n`);
    expect(branch("a.output", "0")).toEqual(["never-equal b.value"]);
    expect(branch("a.exitCode", '"0"')).toEqual(["never-equal b.value"]);
    expect(branch("a.output", '"0"')).toEqual([]);
    expect(branch("a.exitCode", "0")).toEqual([]);
  });

  test("a value in single quotes in a script", () => {
    const script = (text: string) =>
      subjects(
        `name: x\ninputs: { t: string }\nsteps:\n  a:\n    shell: |\n      ${text.replaceAll("\n", "\n      ")}\n`,
      );
    expect(script("echo '{{ inputs.t }}'")).toEqual(["quoted-value a"]);
    expect(script(`printf '%s' "{{ inputs.t }}"`)).toEqual([]);
    expect(script(`echo "it's {{ inputs.t }}"`)).toEqual([]);
    expect(script('# it\'s fine\necho "{{ inputs.t }}"')).toEqual([]);
    expect(script("cat <<EOF\nit's {{ inputs.t }}\nEOF")).toEqual([]);
  });

  test("success on a dock where true means again", () => {
    const loop = (dock: string) =>
      `  - { id: l, type: loop, data: { nodeType: loop, dockSlots: [${dock}] } }\n`;
    const inside =
      "  - { id: a, type: shell, parentId: l, data: { nodeType: shell, script: ls } }\n";
    const edge = (name: string) =>
      `  - { source: a, sourceHandle: output:success, target: l, targetHandle: dock:${name}:input }\n`;
    const found = (dock: string) => subjects(long(loop(dock) + inside, edge("end")));
    expect(found("{ name: end, type: continue }")).toEqual(["success-continues l.end"]);
    expect(found("{ name: end, type: continue, strict: true }")).toEqual([]);
    expect(found("{ name: end, type: until }")).toEqual([]);
  });

  test("a retry gate whose target is a loop", () => {
    expect(
      warnings(
        "  l: { loop: { until: t, max: 2, steps: { a: { agent: claude, prompt: hi }, t: { shell: ls, needs: a } } } }\n" +
          "  c: { shell: ls, needs: l }\n  g: { retry-gate: { target: l, checks: c } }\n",
      ),
    ).toEqual(["unread-feedback g"]);
  });
});

test("W8: a timeout where nothing can take too long is refused, with what to write instead", () => {
  const step = "  g: { gate: Ship it?, timeout: 5m }\n";
  const loop = "  l: { timeout: 5m, loop: { max: 2, steps: { a: { shell: ls } } } }\n";
  const { graph, findings } = load(`name: x\nsteps:\n${step}${loop}`);
  expect(graph).toBeNull();
  const found = findings.filter(({ severity }) => severity === "error");
  expect(found.map(({ node, hint }) => [node, hint])).toEqual([
    ["g", "Write deadline: and onDeadline: instead."],
    ["l", "Give the nodes that do the work a timeout."],
  ]);
  // A run that was started by an earlier version continues.
  expect(load(`name: x\nsteps:\n${step}${loop}`, { format: 2 }).graph).not.toBeNull();
  expect(warnings("  a: { shell: ls, timeout: 5m }\n")).toEqual([]);
});

test("W10: what every machine refuses is an error: a schema, a budget and a setting", () => {
  const agent = (more: string) => warnings(`  a: { agent: claude, prompt: hi, ${more} }\n`);
  expect(agent('outputSchema: { type: string, pattern: "(" }')).toEqual(["bad-schema a"]);
  expect(agent("outputSchema: { type: nope }")).toEqual(["bad-schema a"]);
  expect(agent("outputSchema: { type: object }")).toEqual([]);
  expect(agent("budget: { tokns: 5 }")).toEqual(["no-session-setting a"]);
});

test("W10: keywords of a schema that check nothing are warnings", () => {
  const schema = (text: string) =>
    load(
      `name: x\nsteps:\n  a: { agent: claude, prompt: hi, outputSchema: ${text} }\n`,
    ).findings.map(({ severity, message, hint }) => `${severity}: ${message} ${hint}`);
  expect(schema("{ type: object, properties: { a: { type: string, minLenght: 3 } } }")).toEqual([
    'warning: Node "a": The outputSchema has the keyword "minLenght", which checks nothing. Did you mean "minLength"?',
  ]);
  expect(schema("{ type: array, items: { anyOf: [{ minLength: 3 }] } }")).toEqual([
    'warning: Node "a": The outputSchema has "minLength" without its type, so it checks nothing. Write type: string beside it.',
  ]);
  expect(
    schema(
      "{ type: object, x-own: 1, required: [a], properties: { a: { type: integer, minimum: 3 } } }",
    ),
  ).toEqual([]);
});

test("W10: settings are checked by the schema of the runner", () => {
  const properties = { mode: { description: "How.", enum: ["slow", "fast"] } };
  const settings = {
    properties,
    patternProperties: { "^x\\.": { title: "x.KEY", description: "" } },
  };
  const runners = [
    { name: "one", provider: "one", available: true, settings },
    { name: "two", provider: "two", available: true },
  ];
  const agent = (text: string, more = "agent: one", options = {}) =>
    load(`name: x\nsteps:\n  a: { ${more}, prompt: hi, settings: { ${text} } }\n`, {
      runners,
      ...options,
    }).findings.map(({ code, hint }) => `${code} ${hint}`);
  const unknown = ['unknown-setting Did you mean "mode"?'];
  expect(agent("mod: slow")).toEqual(unknown);
  expect(agent("one.mod: slow")).toEqual(unknown);
  expect(agent("one.mod: slow", "agent: two")).toEqual(unknown);
  expect(agent("mode: quick")).toEqual(["bad-setting Use one of: slow, fast."]);
  expect(agent("constructor: quick")).toEqual([
    "unknown-setting Use one of: mode, instructions, onQuota, quotaWait, quotaAgent, x.KEY.",
  ]);
  expect(agent("mode: slow, x.y: 1, two.z: 1, instructions: hi")).toEqual([]);
  expect(agent("mod: slow", "agent: two")).toEqual([]);
  expect(agent("mod: slow", "agentClass: c")).toEqual([]);
  expect(agent("mod: slow", "agent: one", { unknownRunners: "accept" })).toEqual([]);
});

test("W13: a trigger of another type and components are not accepted in silence", () => {
  const text = (trigger: string, more = "") =>
    `version: 2\nmetadata: { name: x }\n${more}nodes:\n  - { id: t, type: trigger, data: { nodeType: trigger, triggerType: ${trigger} } }\n${shell("a")}edges:\n  - { source: t, sourceHandle: output:text, target: a, targetHandle: wait }\n`;
  expect(subjects(text("manual"))).toEqual([]);
  expect(subjects(text("banana"))).toEqual(["not-supported t"]);
  expect(subjects(text("manual", "components: { part: { file: part.yaml } }\n"))).toEqual([
    "not-supported null",
  ]);
});

describe("a default must be what it stands for", () => {
  const input = (written: string) =>
    `name: x\ninputs: { n: ${written} }\nsteps: { a: { shell: ls } }\n`;
  const field = (written: string) =>
    `name: x\nsteps:\n  g: { gate: { title: T, fields: [{ name: n, ${written} }] } }\n`;

  test.each([
    ["an input of the run", input("{ type: number, default: many }"), "2:39", 'the input "n"'],
    ["one without a type", input("{ default: 3 }"), "2:25", 'the input "n"'],
    [
      "one of the long form",
      "version: 3\nmetadata: { name: x }\ninputs: { n: { type: boolean, default: 1 } }\nnodes: []\n",
      "3:40",
      'the input "n"',
    ],
    [
      "one of the interface",
      "version: 3\nmetadata: { name: x }\ninterface: { inputs: [{ name: n, type: string, default: [a] }] }\nnodes: []\n",
      "3:57",
      'the input "n"',
    ],
    [
      "what a trigger hands out",
      long(
        "  - { id: t, type: trigger, data: { nodeType: trigger, outputs: [{ name: n, type: number, default: x }] } }\n",
      ),
      "4:100",
      'the output "n" of "t"',
    ],
    [
      "an input of a node",
      long(
        "  - { id: s, type: shell, data: { nodeType: shell, script: ls, inputs: [{ name: n, type: number, default: '3' }] } }\n",
      ),
      "4:107",
      'the input "n" of "s"',
    ],
    ["a field", field("type: number, default: abc"), "3:69", 'the field "n" of gate "g"'],
    ["a choice", field("choices: [one, two], default: tow"), "3:76", 'the field "n" of gate "g"'],
  ])("%s", (_, text, place, name) => {
    expect(places(text)).toEqual([`${place} wrong-default`]);
    expect(load(text).findings[0]?.message).toContain(`The default of ${name} must be `);
  });

  test.each([
    ["a number", input("{ type: number, default: 3 }")],
    ["a text that a person could give", input('{ type: number, default: "3" }')],
    ["the word for a boolean", input('{ type: boolean, default: "true" }')],
    ["anything that is JSON", input("{ type: json, default: [a] }")],
    ["nothing", input("{ type: number, default: null }")],
    ["a number in a form", field('type: number, default: "3"')],
    ["a choice", field("choices: [one, two], default: two")],
  ])("%s may be", (_, text) => {
    expect(places(text)).toEqual([]);
  });

  test("a choice that is misspelled", () => {
    expect(load(field("choices: [one, two], default: tow")).findings[0]).toMatchObject({
      message: 'The default of the field "n" of gate "g" must be one of its choices, but is "tow".',
      hint: 'Did you mean "two"?',
    });
  });
});

describe("what only draws the graph", () => {
  const text = `version: 3
metadata: { name: Drawn, author: me }
viewport: { x: 0, y: 0, zoom: 1 }
nodes:
  - id: 1
    type: custom
    position: { x: 10, y: 20 }
    style: { width: 600 }
    selected: true
    data: { nodeType: shell, label: Build, icon: hammer, script: make }
edges: []
`;

  test("is let through, and stays out of the graph", () => {
    const { graph, findings } = load(text);
    expect(findings).toEqual([]);
    expect(graph?.nodes).toHaveLength(1);
    expect(graph?.nodes[0]).toMatchObject({ id: "1", label: "Build", type: "shell" });
    expect(JSON.stringify(graph)).not.toMatch(/viewport|hammer|600|selected/);
  });

  test("a key that is a letter off is a warning", () => {
    const { findings, graph } = load(text.replace("script: make", "script: make, timeuot: 3s"));
    expect(graph).not.toBeNull();
    expect(findings).toMatchObject([
      { severity: "warning", code: "unknown-key", hint: 'Did you mean "timeout"?' },
    ]);
  });
});

test("misspelled keys are found wherever they stand", () => {
  const text = `version: 3
metadata: { name: N, descripton: z }
interface: { inputs: [{ name: i, requird: false }] }
nodes:
  - id: a
    type: shell
    parntId: l
    parentNode: l
    data: { nodeType: shell, script: ls, inputs: [{ name: q, typ: string }] }
  - id: l
    type: loop
    data: { nodeType: loop, dockSlots: [{ name: said, type: feedback, strct: true, valueType: string }] }
  - { id: g, type: gate, data: { nodeType: gate, fields: [{ name: v, labl: V, help: none }] } }
edges: []
`;
  expect(places(text).filter((place) => place.endsWith("unknown-key"))).toEqual([
    "2:22 unknown-key",
    "3:34 unknown-key",
    "7:5 unknown-key",
    "8:5 unknown-key",
    "9:62 unknown-key",
    "12:71 unknown-key",
    "13:70 unknown-key",
  ]);
  expect(load(text).graph).not.toBeNull();
});

test("JSON, with tabs too, is read like YAML", () => {
  const file = {
    name: "x",
    inputs: { n: "number" },
    steps: { a: { shell: "echo {{ inputs.n }}" } },
  };
  const plain = load(JSON.stringify(file));
  expect(plain.findings).toEqual([]);
  expect(load(JSON.stringify(file, null, "\t")).graph?.inputs).toEqual(plain.graph?.inputs);
});

test("anchors and merge keys are followed", () => {
  const { graph, findings } = load(
    "name: x\nsteps:\n  a: &a { shell: make, timeout: 2m }\n  b: { <<: *a, needs: a }\n",
  );
  expect(findings).toEqual([]);
  expect(graph?.nodes.map(({ timeout }) => timeout)).toEqual([120_000, 120_000]);
});

test("strict makes every warning an error, also those about the graph", () => {
  const text = long(shell("a") + shell("b"), "  - { source: a, target: b, targetHandle: wait }\n");
  expect(load(text).findings.map(({ severity }) => severity)).toEqual(["warning"]);
  expect(load(text).graph).not.toBeNull();
  expect(load(text, { strict: true }).findings.map(({ severity }) => severity)).toEqual(["error"]);
  expect(load(text, { strict: true }).graph).toBeNull();
  const unused = "name: x\nsteps:\n  l: { loop: { steps: { a: { shell: ls } } } }\n";
  expect(places(unused)).toEqual(["3:3 endless-loop"]);
  expect(load(unused, { strict: true }).graph).toBeNull();
});

test("name, slug, folder, parallel and inputs of the file", () => {
  const { graph } = load(`version: 1
metadata: { name: "Réviser & Co.", description: what it does, rootDirectory: ./web }
interface: { inputs: [{ name: task, type: string }, { name: count, type: number, default: 3 }] }
parallel: 2
nodes:
${shell("a", "{{ run.inputs.task }} {{ inputs.count }}")}`);
  expect(graph).toMatchObject({
    name: "Réviser & Co.",
    slug: "re-viser-co",
    description: "what it does",
    folder: "./web",
    parallel: 2,
    inputs: [
      { name: "task", type: "string", required: true },
      { name: "count", type: "number", required: false, default: 3 },
    ],
  });
  const head = "version: 1\nmetadata: { name: x, rootDirectory: ./web }\n";
  expect(load(`${head}folder: ./api\nnodes:\n${shell("a", "ls")}`).graph?.folder).toBe("./api");
  expect(load(`name: "日本"\nsteps: { a: { shell: ls } }\n`).graph?.slug).toBe("workflow");
});

// The time is only a bound: a parser of YAML is slow where others use the processor too.
describe("10,000 nodes", () => {
  const count = 10_000;
  const numbers = Array.from({ length: count }, (_, index) => index);

  test("load in the long form, one after the other", () => {
    const nodes = numbers.map((n) => shell(`n${n}`)).join("");
    const edges = numbers
      .slice(1)
      .map(
        (n) =>
          `  - { source: n${n - 1}, target: n${n}, sourceHandle: "output:output", targetHandle: wait }\n`,
      )
      .join("");
    const { graph, findings } = load(long(nodes, edges));
    expect(findings).toEqual([]);
    expect(graph?.nodes).toHaveLength(count);
    expect(graph?.edges).toHaveLength(count - 1);
  });

  test("load in the short form, each with a template, in a loop", () => {
    const steps = numbers
      .map((n) => `        n${n}: { shell: "echo {{ n${n - 1}.output }}" }\n`)
      .slice(1);
    const text = `name: x\nsteps:\n  l:\n    loop:\n      until: n${count - 1}\n      steps:\n        n0: { shell: ls }\n${steps.join("")}`;
    const { graph, findings } = load(text);
    expect(findings).toEqual([]);
    expect(graph?.nodes).toHaveLength(count + 1);
  });

  test("V2: are counted when each of them is wrong, and the first 500 are listed", () => {
    const nodes = numbers.map((n) => shell(`n${n}`, `{{ m${n}.output }}`)).join("");
    const { findings } = load(long(nodes));
    expect(findings).toHaveLength(501);
    expect(findings.at(-1)).toMatchObject({
      code: "more-findings",
      message: `${count - 500} more findings are not listed.`,
    });
  });
});

describe("W18: nothing is changed or ignored without a word", () => {
  const found = (steps: string, options = {}) =>
    load(`name: x\nsteps:\n${steps}`, options).findings.map(
      ({ code, message, hint }) => `${code}: ${message} ${hint}`,
    );

  test.each([".inf", "-.inf", ".nan", "1e400", "9007199254740993", "0x20000000000001"])(
    "the number %s is refused at its line",
    (number) => {
      const step = `  a: { constant: ${number} }\n`;
      expect(found(step)).toEqual([
        `bad-number: The number ${number} cannot be kept exactly. Quote it to use it as text: "${number}".`,
      ]);
      expect(found(step, { format: 2 })).toEqual([]);
    },
  );

  test("numbers that are kept are fine", () => {
    expect(found("  a: { constant: [0.1, 1e20, 9007199254740991, -3, 0xff, 0o7] }\n")).toEqual([]);
  });

  test("a script cannot be continued", () => {
    const step = "  a: { shell: ls, onInterrupted: continue }\n";
    expect(found(step)).toEqual([
      'cannot-continue: Node "a" has onInterrupted: continue, but a shell that was cut off cannot be continued. Write rerun to run it again from its beginning, or fail.',
    ]);
    expect(load(`name: x\nsteps:\n${step}`, { format: 2 }).graph).not.toBeNull();
  });

  test("a step named as an output of another step is a warning", () => {
    const steps = "  a: { function: return f(), returns: { b: number } }\n";
    expect(found(`${steps}  a.b: { shell: ls }\n`)).toEqual([
      'like-an-output: "a.b" is a step and also the output "b" of "a": a template means the output, needs and inputs mean the step. Rename the step, for example to a-b.',
    ]);
    expect(found(`${steps}  a.c: { shell: ls }\n`)).toEqual([]);
  });

  test("a template where a name belongs is refused with the name", () => {
    const loop = (until: string) =>
      found(`  l: { loop: { ${until}, steps: { r: { shell: ls } } } }\n`);
    expect(loop('until: "{{ r.success }}"')).toEqual([
      'unknown-name: "{{ r.success }}" is a template, and this must be a name. Write it without the braces: r.success.',
    ]);
  });

  test("only an output that exists is suggested", () => {
    const text = (name: string) =>
      found(`  a: { shell: ls }\n  m: { shell: "echo {{ ${name} }}" }\n`);
    expect(text("inputs.constructor")[0]).not.toContain("Did you mean");
    expect(text("b.stdout")[0]).toContain('Did you mean "a.stdout"?');
    expect(text("constructor.output")[0]).not.toContain("Did you mean");
  });

  test("a step named __proto__ is refused", () => {
    expect(found("  __proto__: { shell: ls }\n")[0]).toContain(
      'The key "__proto__" cannot be used',
    );
  });
});
