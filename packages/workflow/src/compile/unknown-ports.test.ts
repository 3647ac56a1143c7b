import { describe, expect, test } from "vitest";
import { load } from "../load.ts";

const agent = "{ agent: scripted, prompt: Hi, returns: { approved: boolean, feedback: string } }";
const plain = "{ agent: scripted, prompt: Hi }";
const short = (steps: string, rest = "") => `name: x\n${rest}steps:\n${steps}`;

/** `line message | hint` of every error. */
function errorsIn(text: string): string[] {
  return load(text)
    .findings.filter(({ severity }) => severity === "error")
    .map(({ position, message, hint }) => `${position?.line} ${message} | ${hint}`);
}

describe("W4: a misspelled port in the short form is an error with a suggestion", () => {
  test.each([
    ["in a template", `  a: ${agent}\n  b: { shell: "echo {{ a.feedbck }}" }`, "4 ", "a.feedback"],
    ["in needs", `  a: ${agent}\n  b: { shell: ls, needs: a.aproved }`, "4 ", "approved"],
    ["in inputs", `  a: ${agent}\n  b: { shell: ls, inputs: { x: a.feedbck } }`, "4 ", "feedback"],
    ["in a branch", `  a: ${agent}\n  b: { branch: a.aproved }`, "4 ", "approved"],
    ["in a join", `  a: ${agent}\n  b: { join: [a.feedbck, a.output] }`, "4 ", "feedback"],
    [
      "in the checks of a retry gate",
      `  a: ${agent}\n  b: { retry-gate: { target: a, checks: a.aproved } }`,
      "4 ",
      "approved",
    ],
    [
      "in until",
      `  l:\n    loop:\n      until: r.aproved\n      steps:\n        c: ${plain}\n        r: ${agent}`,
      "5 ",
      "approved",
    ],
    [
      "in the outputs of a loop",
      `  l:\n    loop:\n      until: r.approved\n      outputs: { work: r.feedbck }\n      steps:\n        r: ${agent}`,
      "6 ",
      "feedback",
    ],
    [
      "of the iteration before",
      `  l:\n    loop:\n      until: r.approved\n      steps:\n        c: { agent: scripted, prompt: "{{ r.feedbck }}" }\n        r: ${agent}`,
      "7 ",
      "feedback",
    ],
    [
      "of a loop",
      `  l:\n    loop:\n      until: r.approved\n      outputs: { work: r.feedback }\n      steps:\n        r: ${agent}\n  s: { shell: ls, needs: l.iteratons }`,
      "9 ",
      "iterations",
    ],
    ["of a gate", "  g: { gate: Well? }\n  s: { branch: g.aproved }", "4 ", "approved"],
    ["of a shell", "  g: { shell: ls }\n  s: { branch: g.sucess }", "4 ", "success"],
    [
      "of a function that says what it returns",
      "  f: { function: go(), returns: { total: number } }\n  s: { shell: ls, inputs: { x: f.totl } }",
      "4 ",
      "total",
    ],
    [
      "of a function that does not say it, but names it in its code",
      '  f: { function: "return { total: 3 }" }\n  s: { shell: "echo {{ f.totl }}" }',
      "4 ",
      "f.total",
    ],
    [
      "of such a function, taken as an input",
      '  f: { function: "return { total: 3 }" }\n  s: { shell: ls, inputs: { x: f.totl } }',
      "4 ",
      "total",
    ],
    [
      "of an agent's inputs",
      `  s: { shell: ls }\n  a: { agent: scripted, inputs: { promt: s.output } }`,
      "4 ",
      "prompt",
    ],
    [
      "of an agent's constants",
      "  a: { agent: scripted, prompt: Hi, inputs: { sesionId: { value: k } } }",
      "3 ",
      "sessionId",
    ],
  ])("%s", (_, steps, line, meant) => {
    const errors = errorsIn(short(steps));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(new RegExp(`^${line}`));
    expect(errors[0]).toContain(`Did you mean "${meant}"?`);
  });

  test("W4: in the outputs of the workflow", () => {
    const errors = errorsIn(short(`  a: ${agent}`, "outputs: { x: a.feedbck }\n"));
    expect(errors).toEqual(['2 "a" has no output "feedbck". | Did you mean "feedback"?']);
  });

  test("W4: an agent without a schema has only its documented outputs", () => {
    const [error] = errorsIn(short(`  a: ${plain}\n  b: { shell: ls, inputs: { x: a.summary } }`));
    expect(error).toBe(
      '4 "a" has no output "summary". | Use one of: output, sessionId, structuredOutput, success, error, exitCode. Or declare it: returns: { summary: any }.',
    );
  });

  test("what a function returns without saying so may have any name that its code does not rule out", () => {
    const ok = (steps: string) => expect(errorsIn(short(steps))).toEqual([]);
    ok('  f: { function: "return { errors: [] }" }\n  s: { shell: "echo {{ f.errors }}" }');
    ok('  f: { function: "return inputs.x" }\n  s: { shell: ls, inputs: { y: f.summary } }');
  });

  test("an agent's input that its prompt uses may be called nearly as another", () => {
    const text = `  s: { shell: ls }\n  a: { agent: scripted, prompt: "{{ inputs.prompts }}", inputs: { prompts: s.output } }`;
    expect(errorsIn(short(text))).toEqual([]);
  });
});

const node = (id: string, type: string, data: string, parent = "") =>
  `  - { id: ${id}, type: ${type}, ${parent && `parentId: ${parent}, `}data: { nodeType: ${type}, ${data} } }\n`;
const edge = (source: string, from: string, target: string, to: string) =>
  `  - { source: ${source}, sourceHandle: "${from}", target: ${target}, targetHandle: "${to}" }\n`;
const long = (nodes: string, edges: string) =>
  `version: 3\nmetadata: { name: x }\nnodes:\n${nodes}edges:\n${edges}`;
const loop = node(
  "l",
  "loop",
  "inputs: [{ name: task }], outputs: [{ name: work }], dockSlots: [{ name: u, type: until }]",
);
const judge = node(
  "r",
  "agent",
  "runner: scripted, prompt: Hi, outputSchema: { type: object, properties: { approved: { type: boolean } } }",
  "l",
);
const go = node("go", "trigger", "triggerType: manual, outputs: [{ name: topic }]");
const condition = edge("r", "output:approved", "l", "dock:u:input");

describe("W4: a misspelled port in the long form is an error with a suggestion", () => {
  test.each([
    [
      "an output of an agent",
      long(loop + judge, edge("r", "output:aproved", "l", "dock:u:input")),
      '"r" has no output "aproved"',
      "approved",
    ],
    [
      "an input of an agent",
      long(loop + judge, condition + edge("l", "input:task:internal", "r", "input:promt")),
      '"r" has no input "promt"',
      "prompt",
    ],
    [
      "an input of a loop, from outside",
      long(go + loop + judge, condition + edge("go", "output:topic", "l", "input:tasks")),
      '"l" has no input "tasks"',
      "task",
    ],
    [
      "an input of a loop, from inside",
      long(loop + judge, condition + edge("l", "input:tsk:internal", "r", "input:prompt")),
      '"l" has no input "tsk"',
      "task",
    ],
    [
      "an output of a loop, from inside",
      long(loop + judge, condition + edge("r", "output:output", "l", "output:works:internal")),
      '"l" has no output "works"',
      "work",
    ],
    [
      "an output of a loop, from outside",
      long(
        loop + judge + node("s", "shell", "script: ls"),
        condition + edge("l", "output:wrk", "s", "input:x"),
      ),
      '"l" has no output "wrk"',
      "work",
    ],
    [
      "an output of a trigger",
      long(go + node("s", "shell", "script: ls"), edge("go", "output:topik", "s", "input:x")),
      '"go" has no output "topik"',
      "topic",
    ],
  ])("%s", (_, text, message, meant) => {
    const errors = errorsIn(text);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(message);
    expect(errors[0]).toContain(`Did you mean "${meant}"?`);
  });

  test("ports that an edge feeds are still created, in whatever order the edges are", () => {
    const bare = node("l", "loop", "dockSlots: [{ name: u, type: until }]");
    const text = long(
      go + bare + judge + node("s", "shell", "script: ls"),
      edge("l", "output:verdict", "s", "input:x") +
        edge("l", "input:subject:internal", "r", "input:prompt") +
        edge("go", "output:topic", "l", "input:subject") +
        edge("r", "output:output", "l", "output:verdict:internal") +
        condition,
    );
    expect(errorsIn(text)).toEqual([]);
    expect(load(text).graph).not.toBeNull();
  });

  test("a run that was started before continues by the rules that it was started with", () => {
    const text = short(`  a: ${plain}\n  b: { shell: ls, inputs: { x: a.feedbck } }`);
    expect(load(text).graph).toBeNull();
    expect(load(text, { format: 1 }).graph).not.toBeNull();
  });
});
