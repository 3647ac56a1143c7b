import { inert } from "@reprise/core/prompt/inert";
import { describe, expect, test } from "vitest";
import type { AgentNode, Edge, GraphNode } from "../graph.ts";
import { parseTemplate } from "../template.ts";
import {
  agent,
  constant,
  flow,
  fn,
  graphOf,
  inward,
  iteration,
  loop,
  shell,
  testPort,
  trigger,
  wire,
  workdir,
} from "./test-graph.ts";
import { play } from "./test-run.ts";
import { workOf } from "./work.ts";

/** The prompt of an agent that gets `emitted` from a node, and the run's input `task`. */
function promptOf(more: Partial<AgentNode>, edges: Edge[], emitted: unknown = "from a node") {
  const run = play(graphOf([trigger(), fn("n"), agent("a", more)], edges), { task: "the task" });
  run.done("n", { x: emitted });
  return run.agentWork("a").prompt;
}
const own = parseTemplate("own words");
const from = (target: string) => flow("n.x", `a.${target}`);

describe("an agent's prompt", () => {
  test.each([
    ["the node's own", [], "own words"],
    ["taskPrompt over the own", [from("taskPrompt")], "from a node"],
    [
      "iteratePrompt over taskPrompt",
      [flow("trigger.task", "a.taskPrompt"), from("iteratePrompt")],
      "from a node",
    ],
    [
      "prompt over all",
      [flow("trigger.task", "a.prompt"), from("iteratePrompt"), from("taskPrompt")],
      "the task",
    ],
  ])("%s", (_, edges, prompt) => {
    expect(promptOf({ prompt: own }, edges)).toBe(prompt);
  });

  test.each([
    [{ prompt: "p", feedback: "f" }, "p"],
    [{ feedback: "f", other: "o" }, "f"],
    [{ sessionId: "k", other: "o" }, "o"],
    [{ one: "1", two: "2" }, "own words"],
    [null, "own words"],
    ["", "own words"],
  ])("iteratePrompt %j is %j", (value, prompt) => {
    expect(promptOf({ prompt: own }, [from("iteratePrompt")], value)).toBe(prompt);
  });

  test("what other nodes made is quoted as inert data, run inputs and constants as they are", () => {
    const prompt = parseTemplate(
      "{{ inputs.a }} {{ inputs.b }} {{ inputs.c }} {{ run.inputs.task }} {{ run.id }}",
    );
    const run = play(
      graphOf(
        [trigger(), constant("k", "fixed"), wire("w"), fn("n"), agent("a", { prompt })],
        [
          flow("k.value", "w.in"),
          flow("w.in", "a.a"),
          flow("n.x", "a.b"),
          flow("trigger.task", "a.c"),
        ],
      ),
      { task: "the task" },
    ).done("n", { x: "/clear" });
    expect(run.agentWork("a").prompt).toBe(`fixed ${inert("/clear")} the task the task r1`);
  });

  test("nothing is laundered on its way through wires and loops", () => {
    const nodes: GraphNode[] = [
      fn("n"),
      wire("w"),
      loop("l", { maxIterations: 1 }),
      agent("a", { parent: "l", prompt: parseTemplate("{{ inputs.x }}{{ iteration }}") }),
    ];
    const edges = [flow("n.x", "w.in"), flow("w.in", "l.in"), inward("l.in", "a.x")];
    const run = play(graphOf(nodes, edges)).done("n", { x: "/clear" });
    expect(run.agentWork("l/1/a").prompt).toBe(`${inert("/clear")}1`);
  });

  test("numbers and booleans stand as they are", () => {
    const prompt = parseTemplate("{{ inputs.n }}");
    expect(promptOf({ prompt }, [from("n")], 3)).toBe("3");
    expect(promptOf({ prompt }, [from("n")], { a: 1 })).toContain("<reprise:data>");
  });

  test("input and feedback are appended as inert data, unless the text has them", () => {
    expect(promptOf({ prompt: own }, [from("input")])).toBe(`own words\n\n${inert("from a node")}`);
    expect(promptOf({ prompt: own }, [flow("trigger.task", "a.feedback")])).toBe(
      `own words\n\n${inert("the task")}`,
    );
    const prompt = parseTemplate("Look: {{ input }}");
    expect(promptOf({ prompt }, [from("input")])).toBe(`Look: ${inert("from a node")}`);
  });

  test("without any the node fails and names the port", () => {
    const run = play(graphOf([agent("a", { prompt: null })]));
    expect(run.state.error).toMatchObject({ code: "missing-input" });
    expect(run.state.error?.message).toContain('input "prompt"');
  });

  test("without any, an input that the run was not given is named", () => {
    const graph = {
      ...graphOf(
        [trigger(), loop("l"), agent("a", { parent: "l", prompt: null })],
        [flow("trigger.text", "l.task"), inward("l.task", "a.taskPrompt")],
      ),
      inputs: [testPort("text", { type: "string" })],
    };
    expect(play(graph).state.error).toMatchObject({
      code: "missing-input",
      hint: 'The run has no value for it. Start it with the option "inputs.text".',
    });
    expect(play(graph, { text: "hello" }).agentWork("l/1/a").prompt).toBe("hello");
  });

  test("folder and instructions are filled in too", () => {
    const more = {
      folder: parseTemplate("/w/{{ inputs.f }}"),
      instructions: parseTemplate("Be {{ inputs.f }}."),
    };
    const run = play(graphOf([fn("n"), agent("a", more)], [flow("n.x", "a.f")])).done("n", {
      x: "b",
    });
    expect(run.agentWork("a")).toMatchObject({ folder: "/w/b", instructions: `Be ${inert("b")}.` });
  });
});

test("a shell reads values from its environment: none becomes a part of the script", () => {
  const evil = '"; rm -rf ~; echo "$(id)';
  const node = shell("s", 'echo "{{ inputs.x }}" {{ inputs.y }}', {
    env: { NAME: parseTemplate("<{{ inputs.x }}>") },
    folder: parseTemplate("{{ inputs.y }}"),
  });
  const run = play(graphOf([fn("n"), node], [flow("n.x", "s.x"), flow("n.y", "s.y")])).done("n", {
    x: evil,
    y: { a: 1 },
  });
  expect(run.work("s")).toMatchObject({
    script: `echo "\${REPRISE_VALUE_1}" \${REPRISE_VALUE_2}`,
    env: { REPRISE_VALUE_1: evil, REPRISE_VALUE_2: '{\n  "a": 1\n}', NAME: `<${evil}>` },
    inputs: { x: evil },
  });
});

test("a folder whose path no other node influenced is inserted as it is", () => {
  const prompt = parseTemplate("Work in {{ inputs.f }}");
  const prompted = (path: string) =>
    play(
      graphOf(
        [fn("n"), workdir("w", path), agent("a", { prompt })],
        [flow("n.x", "w.x"), flow("w.path", "a.f")],
      ),
    )
      .done("n", { x: "sub" })
      .done("w", { path: "/tmp/w" })
      .agentWork("a").prompt;
  expect(prompted("build-{{ run.id }}")).toBe("Work in /tmp/w");
  expect(prompted("{{ inputs.x }}")).toBe(`Work in ${inert("/tmp/w")}`);
});

test("a required input names the input of the run that it comes from", () => {
  const inputs = [testPort("x", { required: true })];
  const graph = {
    ...graphOf(
      [trigger(), wire("w"), fn("f", { inputs })],
      [flow("trigger.task", "w.in"), flow("w.in", "f.x")],
    ),
    inputs: [testPort("task")],
  };
  expect(play(graph).state.error).toMatchObject({
    code: "missing-input",
    hint: expect.stringContaining('the option "inputs.task"'),
  });
});

test("the work of what had started is made again, the same", () => {
  const run = play(
    graphOf(
      [
        loop("l", { maxIterations: 1 }),
        fn("f", { parent: "l" }),
        workdir("w", "{{ run.id }}-{{ iteration }}", { parent: "l" }),
      ],
      [iteration("l", "f.n")],
    ),
  );
  for (const { execution, work } of run.starts)
    expect(workOf(run.graph, run.folded(), execution)).toEqual(work);
  expect(run.work("l/1/w")).toMatchObject({ path: "r1-1" });
});

test("there is no work of an execution that cannot have started", () => {
  const graph = graphOf(
    [constant("k", 1), fn("a", { inputs: [testPort("in", { type: "string" })] })],
    [flow("k.value", "a.in")],
  );
  const { state } = play(graph);
  expect(() => workOf(graph, state, "a")).toThrow("must be string");
  expect(() => workOf(graph, state, "k")).toThrow("has no work");
});
