import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loaded, nodeIn } from "../compile/example.ts";
import { workflowFileSchema } from "../document.ts";
import { load } from "../load.ts";

const steps = (text: string) => loaded(`name: x\ninputs: { task: string }\nsteps:\n${text}`);

const review = `name: Review until it is right
inputs: { task: string }
steps:
  review:
    loop:
      until: critic.approved
      max: 5
      steps:
        writer: { agent: claude, prompt: "{{ inputs.task }}" }
        critic:
          agent: codex
          prompt: "Is this right? {{ writer.output }}"
          returns: { approved: boolean, feedback: string }
  sign-off: { needs: review, gate: "Take it over?" }
  publish: { needs: sign-off, shell: make publish }
outputs: { text: writer.output }
`;

describe("a review loop with a person at its end", () => {
  const { graph, reported, edges } = loaded(review);

  test("needs no more than this, and nothing to warn about", () => {
    expect(reported).toEqual([]);
    expect(load(review, { strict: true }).graph).not.toBeNull();
    expect(workflowFileSchema.safeParse(parse(review)).success).toBe(true);
  });

  test("is the graph that the long form would be", () => {
    expect(graph.nodes.map(({ id, type, parent }) => `${type} ${parent ?? ""}/${id}`)).toEqual([
      "loop /review",
      "agent review/writer",
      "agent review/critic",
      "gate /sign-off",
      "shell /publish",
      "output /outputs.text",
    ]);
    expect(edges.toSorted()).toEqual([
      "critic.approved > review[until]",
      "critic.feedback > review[feedback]",
      "review.ended > sign-off",
      "review.writer.output > outputs.text.value",
      "review[feedback] > writer.loopFeedback",
      "sign-off.output > publish",
      "writer.output > critic.writer.output",
      "writer.output > review:writer.output",
    ]);
  });

  test("the one who begins keeps its session, the judge does not", () => {
    expect(nodeIn(graph, "agent", "writer").session).toEqual({ name: "writer", scope: "run" });
    expect(nodeIn(graph, "agent", "critic").session).toBeNull();
  });

  test("what the judge returns is its schema", () => {
    expect(nodeIn(graph, "agent", "critic").outputSchema).toEqual({
      type: "object",
      properties: { approved: { type: "boolean" }, feedback: { type: "string" } },
      required: ["approved", "feedback"],
      additionalProperties: false,
    });
  });

  test("a gate whose answer no condition reads stops what follows", () => {
    expect(nodeIn(graph, "gate", "sign-off")).toMatchObject({
      title: { parts: ["Take it over?"] },
      onReject: "skip",
    });
  });
});

describe("in a loop", () => {
  const loop = (inner: string, head = "until: judge.approved") =>
    steps(`  l:\n    loop:\n      ${head}\n      steps:\n${inner}`);
  const judge =
    '        judge: { agent: codex, prompt: "{{ maker.output }}", returns: { approved: boolean, feedback: string } }\n';

  test.each([
    [
      "feedback, where the judge returns it",
      `        maker: { agent: claude, prompt: Go }\n${judge}`,
      "until: judge.approved",
      ["judge.feedback > l[feedback]", "l[feedback] > maker.loopFeedback"],
    ],
    [
      "output, where it does not",
      '        maker: { agent: claude, prompt: Go }\n        judge: { agent: codex, prompt: "{{ maker.output }}", returns: { ok: boolean } }\n',
      "until: judge",
      ["judge.output > l[feedback]", "l[feedback] > maker.loopFeedback"],
    ],
    [
      "the output of a shell",
      "        maker: { agent: claude, prompt: Go }\n        test: { needs: maker, shell: make test }\n",
      "until: test",
      ["test.feedback > l[feedback]", "l[feedback] > maker.loopFeedback"],
    ],
    [
      "the comment of a person",
      "        maker: { agent: claude, prompt: Go }\n        person: { needs: maker, gate: Fine? }\n",
      "until: person",
      ["person.comment > l[feedback]", "l[feedback] > maker.loopFeedback"],
    ],
    [
      "all of its prompt and the feedback, to one without a session",
      `        maker: { agent: claude, prompt: Go, session: false }\n${judge}`,
      "until: judge.approved",
      ["judge.feedback > l[feedback]", "l[feedback] > maker.feedback"],
    ],
    [
      "beside a wired prompt",
      `        maker: { agent: claude, inputs: { prompt: inputs.task } }\n${judge}`,
      "until: judge.approved",
      ["judge.feedback > l[feedback]", "l[feedback] > maker.feedback"],
    ],
    [
      "its own text, where that names the judge",
      `        maker: { agent: claude, prompt: "Go. {{ judge.feedback }}" }\n${judge}`,
      "until: judge.approved",
      ["judge.feedback > l[judge.feedback]", "l[judge.feedback] > maker.judge.feedback"],
    ],
    [
      "nothing, to one that judges itself",
      "        maker: { agent: claude, prompt: Go, returns: { done: boolean } }\n",
      "until: maker",
      [],
    ],
  ])("the one who begins gets %s", (_, inner, head, wired) => {
    const { edges, reported } = loop(inner, head);
    expect(reported).toEqual([]);
    expect(edges.filter((line) => line.includes("feedback]")).toSorted()).toEqual(wired.toSorted());
  });

  test("sessions: its own, one by name, none, or the agent's", () => {
    const session = (own: string) =>
      nodeIn(
        loop(`        maker: { agent: claude, prompt: Go${own} }\n${judge}`).graph,
        "agent",
        "maker",
      ).session;
    expect(session("")?.name).toBe("maker");
    expect(session(", session: pair")?.name).toBe("pair");
    expect(session(", session: false")).toBeNull();
    expect(session(", agentId: ada, mode: inherit_resume")).toBeNull();
  });

  test("a condition goes the way it is written, whatever the output is called", () => {
    const docks = (head: string) =>
      nodeIn(
        loop(`        maker: { agent: claude, prompt: Go }\n${judge}`, head).graph,
        "loop",
        "l",
      ).docks;
    expect(docks("until: judge.approved")[0]).toMatchObject({ type: "until" });
    expect(docks("continue: judge.approved")[0]).toMatchObject({ type: "continue" });
  });

  test("a step that is written later, or the step itself, is that of the iteration before", () => {
    const { edges } = loop(
      `        counter: { shell: "echo {{ counter.output }} {{ judge.output }}" }\n        maker: { agent: claude, prompt: Go }\n${judge}`,
    );
    expect(edges).toEqual(
      expect.arrayContaining([
        "counter.output > l[counter.output]",
        "l[counter.output] > counter.counter.output",
        "judge.output > l[judge.output]",
        "l[judge.output] > counter.judge.output",
      ]),
    );
  });

  test("in a loop in a loop, of the one that holds both", () => {
    const { edges } = loop(
      `        inner:\n          loop:\n            until: maker.success\n            steps:\n              maker: { agent: claude, prompt: "{{ judge.feedback }}" }\n${judge}`,
    );
    expect(edges).toEqual(
      expect.arrayContaining([
        "judge.feedback > l[judge.feedback]",
        "l[judge.feedback] > inner.l.judge.feedback",
        "inner:l.judge.feedback > maker.judge.feedback",
        "inner.maker.output > judge.maker.output",
      ]),
    );
  });

  test("results, the maximum, and no condition", () => {
    const { graph, edges, reported } = loop(
      "        maker: { shell: ls }\n",
      "max: 3\n      onMaximum: fail\n      outputs: { last: maker.stdout }",
    );
    expect(nodeIn(graph, "loop", "l")).toMatchObject({ maxIterations: 3, onMaximum: "fail" });
    expect(edges).toEqual(["maker.stdout > l:last"]);
    expect(reported).toEqual(["4 endless-loop"]);
  });
});

describe("steps", () => {
  test("wait for what they need, and for what they name", () => {
    const { edges } = steps(
      '  a: { shell: ls }\n  b: { needs: a, shell: ls }\n  c: { needs: [a, b], shell: "echo {{ b.stderr }}" }\n',
    );
    expect(edges).toEqual([
      "a.output > b",
      "a.output > c",
      "b.output > c",
      "b.stderr > c.b.stderr",
    ]);
  });

  test("branches and joins", () => {
    const { edges, graph } = steps(`  test: { shell: make test }
  fine: { branch: test }
  ship: { needs: fine.true, shell: make ship }
  repair: { needs: fine.false, agent: codex, prompt: Repair it. }
  size: { branch: { value: test.exitCode, equals: 2 } }
  both: { join: [ship, repair.output] }
  first: { join: { of: [ship, repair], wait: any } }
  after: { needs: fine, shell: "echo {{ both.ship }}" }
`);
    expect(edges).toEqual([
      "test.success > fine.value",
      "fine.true > ship",
      "fine.false > repair",
      "test.exitCode > size.value",
      "ship.output > both.ship",
      "repair.output > both.repair.output",
      "ship.output > first.ship",
      "repair.output > first.repair",
      "fine.value > after",
      "both.ship > after.both.ship",
    ]);
    expect(nodeIn(graph, "shell", "test").onError).toBeNull();
    expect(nodeIn(graph, "branch", "fine").when).toEqual({ test: "true" });
    expect(nodeIn(graph, "branch", "size").when).toEqual({ test: "equals", value: 2 });
    expect(nodeIn(graph, "join", "first").wait).toBe("any");
  });

  test("functions get their inputs by name: values, constants and inputs of the run", () => {
    const { edges, graph, reported } = steps(`  n: { constant: 3 }
  add:
    function: "return { sum: inputs.a + inputs.b, text: inputs.task };"
    inputs: { a: n, b: { value: 4 }, task: inputs.task }
    returns: { sum: number, text: string }
  last: { needs: add, workdir: { path: out, create: true } }
`);
    expect(reported).toEqual([]);
    expect(edges).toEqual(
      expect.arrayContaining(["n.value > add.a", "inputs.task > add.task", "add.sum > last"]),
    );
    expect(nodeIn(graph, "function", "add").inputs.find(({ name }) => name === "b")).toMatchObject({
      default: 4,
    });
    expect(
      nodeIn(graph, "function", "add").outputs.map(({ name, type }) => `${name} ${type}`),
    ).toEqual(["success any", "error any", "sum number", "text string"]);
    expect(nodeIn(graph, "workdir", "last")).toMatchObject({
      path: { parts: ["out"] },
      create: true,
    });
    expect(graph.inputs.map(({ name }) => name)).toEqual(["task"]);
  });

  test("retry gates: checks, and what their steps have to say", () => {
    const { edges, graph, reported } =
      steps(`  coder: { agent: claude, prompt: "{{ inputs.task }}" }
  critic: { agent: codex, prompt: "{{ coder.output }}", returns: { approved: boolean, feedback: string } }
  test: { needs: coder, shell: make test }
  again: { retry-gate: { target: coder, checks: [critic, test], max: 2 } }
  ship: { needs: again, shell: make ship }
`);
    expect(reported).toEqual([]);
    expect(nodeIn(graph, "retry-gate", "again")).toMatchObject({
      retryTarget: "coder",
      maxRetries: 2,
      checks: ["critic.approved", "test.success"],
      feedback: ["critic.feedback", "test.feedback"],
    });
    expect(edges).toContain("again.retry_feedback > coder.feedback back");
  });

  test("a gate with all that it can say", () => {
    const { graph } = steps(`  g:
    gate:
      title: "Ship {{ inputs.task }}?"
      message: Look at it.
      choices: [ship, wait, drop]
      answerers: [ada, bob]
      deadline: 2d
      onDeadline: wait
  after: { inputs: { how: g.choice }, function: "return {}" }
`);
    expect(nodeIn(graph, "gate", "g")).toMatchObject({
      title: { parts: ["Ship ", { from: "run", name: "inputs.task" }, "?"] },
      choices: ["ship", "wait", "drop"],
      answerers: ["ada", "bob"],
      deadline: 172_800_000,
      onDeadline: { choice: "wait" },
      onReject: "skip",
    });
  });

  test("labels, times, retries and failures as in the long form", () => {
    const { graph } = steps(
      "  a: { shell: ls, label: Look, timeout: 5s, retry: 2, onError: skip, env: { A: b }, folder: src }\n",
    );
    expect(nodeIn(graph, "shell", "a")).toMatchObject({
      label: "Look",
      timeout: 5000,
      retry: { max: 2 },
      onError: "skip",
      env: { A: { parts: ["b"] } },
      folder: { parts: ["src"] },
    });
  });

  test("what the run takes", () => {
    const { graph } = loaded(
      "name: x\ninputs: { a: , b: number, c: { type: json, default: [], description: what } }\nsteps: { s: { shell: ls } }\n",
    );
    expect(graph.inputs).toEqual([
      { name: "a", type: "string", required: true, description: null },
      { name: "b", type: "number", required: true, description: null },
      { name: "c", type: "json", required: false, default: [], description: "what" },
    ]);
  });
});
