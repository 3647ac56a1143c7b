import { describe, expect, test } from "vitest";
import { load } from "../load.ts";
import { loaded, nodeIn } from "./example.ts";

const file = (nodes: string, edges: string) =>
  `version: 2\nmetadata: { name: x }\nnodes:\n${nodes}edges:\n${edges}`;
const node = (id: string, type: string, data: string, parent = "") =>
  `  - { id: ${id}, type: ${type}, ${parent && `parentId: ${parent}, `}data: { nodeType: ${type}, ${data} } }\n`;
const edge = (source: string, target: string, sourceHandle = "", targetHandle = "") =>
  `  - { source: ${source}, target: ${target}${sourceHandle && `, sourceHandle: "${sourceHandle}"`}${targetHandle && `, targetHandle: "${targetHandle}"`} }\n`;

const verdict =
  "{ type: object, properties: { approved: { type: boolean }, feedback: { type: string } } }";
const docks = (...slots: string[]) =>
  `dockSlots: [${slots.map((slot) => `{ name: ${slot.split(" ")[0]}, type: ${slot.split(" ")[1]}${slot.includes("strict") ? ", strict: true" : ""} }`).join(", ")}]`;
const critic = node(
  "critic",
  "agent",
  `runner: codex, prompt: Judge., outputSchema: ${verdict}`,
  "loop",
);
const loop = (...slots: string[]) =>
  node("loop", "loop", `inputs: [{ name: task, type: string }], ${docks(...slots)}`);
/** Lines: 4 loop, 5 writer, 6 critic, 7 edges:, 8 the condition, then what a test adds. */
const review = (writer: string, edges: string, ...slots: string[]) =>
  file(
    loop("again until", ...slots) +
      node("writer", "agent", `runner: claude, ${writer}`, "loop") +
      critic,
    edge("critic", "loop", "output:approved", "dock:again:input") + edges,
  );

describe("what an edge leaves open", () => {
  test.each([
    [
      "the only output that is declared",
      node("a", "function", "code: return, outputs: [{ name: sum, type: number }]") +
        node("b", "shell", "script: ls"),
      edge("a", "b", "", "input:x"),
      ["7 implied-source-handle", "7 created-port"],
      ["a.sum > b.x"],
    ],
    [
      "the text of a trigger",
      node("a", "trigger", "label: Go") + node("b", "agent", "runner: codex, prompt: Hi"),
      edge("a", "b", "", "input:prompt"),
      ["7 implied-source-handle"],
      ["a.text > b.prompt"],
    ],
    [
      "the output of anything else",
      node("a", "shell", "script: ls") + node("b", "agent", "runner: codex"),
      edge("a", "b", "", "input:prompt"),
      ["7 implied-source-handle"],
      ["a.output > b.prompt"],
    ],
    [
      "what stands beside an agent's prompt",
      node("a", "shell", "script: ls") + node("b", "agent", "runner: codex, prompt: Hi"),
      edge("a", "b", "output:stdout"),
      ["7 implied-target-handle"],
      ["a.stdout > b.input"],
    ],
    [
      "the prompt of an agent that has none",
      node("a", "shell", "script: ls") + node("b", "agent", "runner: codex"),
      edge("a", "b", "output:stdout"),
      ["7 implied-target-handle"],
      ["a.stdout > b.prompt"],
    ],
    [
      "the only input that is declared",
      node("a", "shell", "script: ls") +
        node(
          "b",
          "agent",
          "runner: codex, prompt: '{{ inputs.log }}', inputs: [{ name: log, type: string }]",
        ),
      edge("a", "b", "output:stdout"),
      ["7 implied-target-handle"],
      ["a.stdout > b.log"],
    ],
    [
      "an input of its own for each edge to a join",
      node("a", "shell", "script: ls") +
        node("b", "shell", "script: ls") +
        node("c", "join", "wait: all"),
      edge("a", "c", "output:stdout") + edge("b", "c", "output:stdout"),
      ["8 implied-target-handle", "9 implied-target-handle"],
      ["a.stdout > c.stdout", "b.stdout > c.b.stdout"],
    ],
    [
      "a handle that is only a name",
      node("a", "shell", "script: ls") + node("b", "agent", "runner: codex"),
      edge("a", "b", "stdout", "prompt"),
      ["7 bare-handle", "7 bare-handle"],
      ["a.stdout > b.prompt"],
    ],
    [
      "what takes no value only waits",
      node("a", "shell", "script: ls") + node("b", "workdir", "path: ."),
      edge("a", "b", "output:stdout"),
      [],
      ["a.stdout > b"],
    ],
  ])("%s", (_, nodes, edges, reported, wired) => {
    const result = loaded(file(nodes, edges));
    expect(result.reported).toEqual(reported);
    expect(result.edges).toEqual(wired);
  });

  test("the input of a loop, seen from inside", () => {
    const { reported, edges } = loaded(
      review("prompt: Hi", edge("loop", "writer", "", "input:input")),
    );
    expect(reported).toContain("9 implied-source-handle");
    expect(edges).toContain("loop:task > writer.input");
  });

  test("where in a loop it ends must be said", () => {
    const { graph, findings } = load(review("prompt: Hi", edge("writer", "loop", "output:output")));
    expect(graph).toBeNull();
    expect(findings).toMatchObject([
      {
        code: "bad-handle",
        position: { line: 9 },
        hint: expect.stringContaining("dock:<name>:current"),
      },
    ]);
  });
});

describe("ports that are named and not declared", () => {
  test("are made, on either side of functions", () => {
    const { reported, graph } = loaded(
      file(
        node("a", "function", "code: return") + node("b", "function", "code: return"),
        edge("a", "b", "output:summary", "input:text"),
      ),
    );
    expect(reported).toEqual(["7 created-port", "7 created-port"]);
    expect(nodeIn(graph, "function", "a").outputs.map(({ name }) => name)).toContain("summary");
    expect(nodeIn(graph, "function", "b").inputs).toMatchObject([
      { name: "text", type: "any", required: true, default: null },
    ]);
  });

  test("a name that is nearly one that is there is an error", () => {
    const text = file(
      node("a", "shell", "script: ls") + node("b", "agent", "runner: codex, prompt: Hi"),
      edge("a", "b", "output:output", "input:promt"),
    );
    expect(load(text).findings).toMatchObject([
      { code: "unknown-port", severity: "error", hint: expect.stringContaining('"prompt"?') },
    ]);
  });

  test("of a trigger are inputs of the run", () => {
    const { graph } = loaded(
      file(
        node("go", "trigger", "triggerType: manual") + node("a", "agent", "runner: codex"),
        edge("go", "a", "output:task", "input:prompt"),
      ),
    );
    expect(graph.inputs).toMatchObject([{ name: "task", required: true }]);
  });
});

describe("what a node can do without", () => {
  const ports = (writer: string, edges: string, ...slots: string[]) => {
    const { graph } = loaded(review(writer, edges, ...slots));
    return Object.fromEntries(
      nodeIn(graph, "agent", "writer").inputs.map(({ name, required, ...port }) => [
        name,
        "default" in port ? `${required} ${port.default}` : `${required}`,
      ]),
    );
  };

  test("a dock is empty at first, an unwired input may be missing, a wired one may not", () => {
    expect(
      ports(
        "prompt: Hi, inputs: [{ name: notes }, { name: spare }, { name: task }, { name: must, required: true, default: 3 }]",
        edge("loop", "writer", "dock:kept:prev", "input:notes") +
          edge("loop", "writer", "input:task:internal", "input:task") +
          edge("writer", "loop", "output:output", "dock:kept:current"),
        "kept feedback",
      ),
    ).toEqual({
      prompt: "false",
      sessionId: "false",
      notes: "false",
      spare: "false",
      task: "true",
      must: "true 3",
    });
  });

  test("what another node gives decides whether it runs, and may be null unless it is declared", () => {
    const { graph } = loaded(
      file(
        node("a", "shell", "script: ls") +
          node("b", "function", "code: return, inputs: [{ name: must }]") +
          node("c", "agent", "runner: codex, prompt: Hi"),
        edge("a", "b", "output:output", "input:must") +
          edge("a", "c", "output:output", "input:input"),
      ),
    );
    expect(nodeIn(graph, "function", "b").inputs).toEqual([
      { name: "must", type: "any", required: true, description: null },
    ]);
    expect(nodeIn(graph, "agent", "c").inputs.at(-1)).toEqual({
      name: "input",
      type: "any",
      required: true,
      default: null,
      description: null,
    });
  });
});

describe("the condition of a loop", () => {
  const turned = (output: string, slot: string) => {
    const { graph, reported } = loaded(
      file(
        node("loop", "loop", docks(slot)) +
          node(
            "a",
            "function",
            `code: return, outputs: [{ name: ${output}, type: boolean }]`,
            "loop",
          ),
        edge("a", "loop", `output:${output}`, "dock:again:input"),
      ),
    );
    return [nodeIn(graph, "loop", "loop").docks[0]?.type, ...reported];
  };

  test.each(["approved", "passed", "done", "ok"])("%s on a continue dock ends it", (output) => {
    expect(turned(output, "again continue")).toEqual(["until", "7 inverted-continue"]);
  });

  test("any other output, a strict dock, and an until dock are taken as they stand", () => {
    expect(turned("more", "again continue")).toEqual(["continue"]);
    expect(turned("approved", "again continue strict")).toEqual(["continue"]);
    expect(turned("approved", "again until")).toEqual(["until"]);
  });

  test("several edges to it are reported", () => {
    expect(
      loaded(review("prompt: Hi", edge("writer", "loop", "output:success", "dock:again:input")))
        .reported,
    ).toEqual(["9 several-into-condition"]);
  });
});

describe("docks", () => {
  test("several edges into one make an object, of which session and prompt take their part", () => {
    const { reported, edges, graph } = loaded(
      review(
        "prompt: Hi",
        edge("writer", "loop", "output:sessionId", "dock:kept:current") +
          edge("critic", "loop", "output:feedback", "dock:kept:current") +
          edge("loop", "writer", "dock:kept:prev", "input:sessionId") +
          edge("loop", "writer", "dock:kept:prev", "input:prompt"),
        "kept feedback",
      ),
    );
    expect(reported).toEqual(["10 keyed-dock", "11 part-of-dock", "12 part-of-dock"]);
    expect(nodeIn(graph, "loop", "loop").docks[1]).toMatchObject({ name: "kept", keyed: true });
    expect(edges).toContain("loop[kept] > writer.sessionId select sessionId");
    expect(edges).toContain("loop[kept] > writer.prompt select prompt");
  });

  test("an object that a node made has parts too; a plain text and messages have none", () => {
    const selected = (output: string, input: string) =>
      loaded(
        review(
          "prompt: Hi, outputs: [{ name: bundle, type: json }, { name: conversationHistory, type: json }]",
          edge("writer", "loop", `output:${output}`, "dock:kept:current") +
            edge("loop", "writer", "dock:kept:prev", `input:${input}`),
          "kept feedback",
        ),
      ).edges.at(-1);
    expect(selected("bundle", "sessionId")).toBe("loop[kept] > writer.sessionId select sessionId");
    expect(selected("bundle", "prompt")).toBe("loop[kept] > writer.prompt select prompt");
    expect(selected("bundle", "notes")).toBe("loop[kept] > writer.notes");
    expect(selected("sessionId", "sessionId")).toBe("loop[kept] > writer.sessionId");
    expect(selected("conversationHistory", "sessionId")).toBe("loop[kept] > writer.sessionId");
  });

  test("the number of the iteration is not a prompt, but a number elsewhere", () => {
    const wired = (input: string) =>
      loaded(
        review(
          "prompt: Hi",
          edge("loop", "writer", "dock:n:output", `input:${input}`),
          "n iteration",
        ),
      );
    expect(wired("prompt").edges).toContain("loop:task > writer.prompt");
    expect(wired("prompt").reported).toEqual(["9 task-for-iteration"]);
    expect(wired("taskPrompt").edges).toContain("loop:task > writer.taskPrompt");
    expect(wired("round").edges).toContain("loop[iteration] > writer.round");
    expect(wired("round").reported).toEqual(["9 created-port"]);
  });

  test("messages become a session, once", () => {
    const { reported } = loaded(
      file(
        node("a", "constant", "value: { messages: [] }") +
          node("b", "agent", "runner: openai, prompt: Hi"),
        edge("a", "b", "output:value", "input:conversationHistory"),
      ),
    );
    expect(reported).toEqual(["5 not-supported", "7 imported-messages"]);
  });

  test.each([
    ["a condition read", edge("loop", "writer", "dock:again:output", "input:x"), "wrong-dock"],
    ["an iteration written", edge("writer", "loop", "output:output", "dock:n:input"), "wrong-dock"],
    [
      "a dock of a node that is not a loop",
      edge("writer", "critic", "dock:n:prev", "input:x"),
      "unknown-dock",
    ],
    [
      "an output of the loop, inside of it",
      edge("loop", "writer", "output:task", "input:x"),
      "bad-handle",
    ],
  ])("%s is an error", (_, edges, code) => {
    const { findings } = load(review("prompt: Hi", edges, "n iteration"));
    expect(findings).toMatchObject([{ severity: "error", code, position: { line: 9 } }]);
  });

  test("a dock from outside of its loop is an error", () => {
    const { findings } = load(
      `${review("prompt: Hi", edge("loop", "after", "dock:kept:prev", "input:x"), "kept feedback")}`.replace(
        "edges:\n",
        `${node("after", "shell", "script: ls")}edges:\n`,
      ),
    );
    expect(findings).toMatchObject([{ code: "dock-from-outside", position: { line: 10 } }]);
  });
});

describe("sessions that a node keeps without a word", () => {
  const session = (writer: string, edges = "", ...slots: string[]) => {
    const { graph, reported } = loaded(review(writer, edges, ...slots));
    return [nodeIn(graph, "agent", "writer").session?.name ?? null, ...reported];
  };
  const returning =
    edge("writer", "loop", "output:output", "dock:kept:current") +
    edge("loop", "writer", "dock:kept:prev", "input:input");
  const both = "inputs: [{ name: taskPrompt }, { name: iteratePrompt }]";

  test("because it is resumable, has both prompts, or gets its own output back", () => {
    expect(session("prompt: Hi, resumable: true")).toEqual(["writer", "5 implied-session"]);
    expect(session(`prompt: Hi, ${both}`)).toEqual(["writer", "5 implied-session"]);
    expect(session("prompt: Hi, inputs: [{ name: input }]", returning, "kept feedback")).toEqual([
      "writer",
      "5 implied-session",
    ]);
  });

  test("a session that is written, wired, or the agent's own is not touched", () => {
    expect(session("prompt: Hi, resumable: true, session: other")).toEqual(["other"]);
    expect(session("prompt: Hi, resumable: true, mode: inherit_resume, agentId: ada")).toEqual([
      null,
    ]);
    expect(
      session(
        "prompt: Hi, resumable: true",
        edge("writer", "loop", "output:sessionId", "dock:kept:current") +
          edge("loop", "writer", "dock:kept:prev", "input:sessionId"),
        "kept feedback",
      ),
    ).toEqual([null]);
    expect(session("prompt: Hi")).toEqual([null]);
  });

  test("an agent that gets only its own words back also gets what the judge says", () => {
    const echo = (own: string) =>
      loaded(
        review(
          own,
          edge("writer", "loop", "output:output", "dock:kept:current") +
            edge("loop", "writer", "dock:kept:prev", "input:iteratePrompt"),
          "kept feedback",
        ),
      );
    const { reported, edges, graph } = echo(both);
    expect(reported).toEqual(["5 implied-session", "10 added-feedback"]);
    expect(edges).toContain("critic.feedback > loop[kept]");
    expect(nodeIn(graph, "loop", "loop").docks[1]?.keyed).toBe(true);
    const plain = loaded(
      review(
        both,
        edge("critic", "loop", "output:feedback", "dock:kept:current") +
          edge("loop", "writer", "dock:kept:prev", "input:iteratePrompt"),
        "kept feedback",
      ),
    );
    expect(plain.reported).toEqual(["5 implied-session"]);
    expect(nodeIn(plain.graph, "loop", "loop").docks[1]?.keyed).toBe(false);
  });
});

describe("edges through the border of a loop", () => {
  test("are led through ports of the loops between", () => {
    const { reported, edges } = loaded(
      file(
        node("before", "shell", "script: ls") +
          loop("again until") +
          node("inner", "loop", docks("stop until"), "loop") +
          node("deep", "shell", "script: ls", "inner") +
          critic +
          node("after", "agent", "runner: codex"),
        edge("critic", "loop", "output:approved", "dock:again:input") +
          edge("deep", "inner", "output:success", "dock:stop:input") +
          edge("before", "deep", "output:output", "input:x") +
          edge("deep", "after", "output:output", "input:prompt") +
          edge("before", "deep", "output:output", "input:y"),
      ),
    );
    expect(reported.filter((line) => line.endsWith("crosses-loop"))).toEqual([
      "13 crosses-loop",
      "14 crosses-loop",
      "15 crosses-loop",
    ]);
    expect(edges.slice(2)).toEqual([
      "before.output > loop.before.output",
      "loop:before.output > inner.before.output",
      "inner:before.output > deep.x",
      "deep.output > inner:deep.output",
      "inner.deep.output > loop:deep.output",
      "loop.deep.output > after.prompt",
      "inner:before.output > deep.y",
    ]);
  });

  test("what waits, waits for what is in its own frame", () => {
    const { edges } = loaded(
      file(
        node("before", "shell", "script: ls") +
          loop("again until") +
          critic +
          node("after", "shell", "script: ls"),
        edge("critic", "loop", "output:approved", "dock:again:input") +
          edge("before", "critic", "output:output", "wait") +
          edge("critic", "after", "output:output", "wait"),
      ),
    );
    expect(edges.slice(1)).toEqual([
      "before.output > loop",
      "critic.output > loop:critic.output",
      "loop.critic.output > after",
    ]);
  });
});

describe("what failing does", () => {
  const onError = (data: string, edges = "") =>
    nodeIn(
      loaded(
        file(
          node("a", "shell", `script: ls, ${data}`) + node("b", "branch", ""),
          edges || edge("a", "b", "output:exitCode", "input:value"),
        ),
      ).graph,
      "shell",
      "a",
    ).onError;

  test("W2: as written, by either name; what reads its success says nothing about the others", () => {
    expect(onError("onError: skip")).toBe("skip");
    expect(onError("continueOnFailure: true")).toBe("continue");
    expect(onError("continueOnFailure: false")).toBe("fail");
    expect(onError("timeout: 5")).toBeNull();
    const asked = edge("a", "b", "output:success", "input:value");
    expect(onError("timeout: 5", asked)).toBeNull();
    expect(onError("onError: fail", asked)).toBe("fail");
    expect(onError("continueOnFailure: false", asked)).toBe("fail");
  });
});

test("times, retries, commands, and the folder by any of its names", () => {
  const { graph } = loaded(
    file(
      node("a", "shell", "commands: [make, make test], path: web, timeout: 1500, retry: 2") +
        node(
          "b",
          "shell",
          "script: ls, cwd: api, timeout: 3m, retry: { max: 1, backoff: 5s, maxBackoff: 10s }, env: { N: 3 }",
        ) +
        node("c", "shell", "script: ls, retry: 0"),
      "  []\n",
    ),
  );
  expect(nodeIn(graph, "shell", "a")).toMatchObject({
    script: { parts: ["set -e\nmake\nmake test"] },
    folder: { parts: ["web"] },
    timeout: 1500,
    retry: { max: 2, backoff: 1000, maxBackoff: 60_000 },
    onInterrupted: "fail",
  });
  expect(nodeIn(graph, "shell", "b")).toMatchObject({
    folder: { parts: ["api"] },
    timeout: 180_000,
    retry: { max: 1, backoff: 5000, maxBackoff: 10_000 },
    env: { N: { parts: ["3"] } },
  });
  expect(nodeIn(graph, "shell", "c").retry).toBeNull();
});

test("a gate: its defaults, its form, and what a no does", () => {
  const gate = (data: string, edges = "") =>
    nodeIn(
      loaded(
        file(
          node("g", "gate", data) + node("b", "shell", "script: ls"),
          edges || edge("g", "b", "output:output", "wait"),
        ),
      ).graph,
      "gate",
      "g",
    );
  expect(gate("label: Ship it?")).toMatchObject({
    kind: "approval",
    title: { parts: ["Ship it?"] },
    message: null,
    choices: ["approve", "reject"],
    answerers: [],
    passphrase: null,
    deadline: null,
    onDeadline: "fail",
    onReject: "skip",
  });
  const form = gate(
    "title: Where?, fields: [{ name: city }, { name: size, choices: [s, m], default: s }], deadline: 3d, onDeadline: reject, answerers: [ada]",
    edge("g", "b", "output:city", "input:city"),
  );
  expect(form).toMatchObject({
    kind: "form",
    deadline: 259_200_000,
    onDeadline: { choice: "reject" },
    answerers: ["ada"],
    onReject: "skip",
  });
  expect(form.fields).toEqual([
    { name: "city", label: "city", type: "string", choices: [], required: true },
    {
      name: "size",
      label: "size",
      type: "choice",
      choices: ["s", "m"],
      required: false,
      default: "s",
    },
  ]);
  expect(gate("onReject: fail", edge("g", "b", "output:approved", "input:x")).onReject).toBe(
    "fail",
  );
});
