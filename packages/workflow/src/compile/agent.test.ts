import { describe, expect, test } from "vitest";
import { type LoadOptions, load } from "../load.ts";
import { exampleRunners } from "../runners-example.ts";
import { loaded, nodeIn } from "./example.ts";

const file = (data: string, head = "") =>
  `version: 1\nmetadata: { name: x }\n${head}nodes:\n  - id: a\n    type: agent\n    data: { nodeType: agent, prompt: Hi, ${data} }\n`;
const agent = (data: string, head = "", options: LoadOptions = {}) => {
  const { graph, reported } = loaded(file(data, head), options);
  return { node: nodeIn(graph, "agent", "a"), reported };
};

test.each([
  ["claude-code", "claude"],
  ["claude", "claude"],
  ["gemini-cli", "gemini"],
  ["codex", "codex"],
  ["scripted", "scripted"],
])("the runner %s is the provider %s", (runner, provider) => {
  expect(agent(`runner: ${runner}`).node.provider).toBe(provider);
});

describe("modes", () => {
  const on = "legacyPersistentResumes: true\n";
  const off = "legacyPersistentResumes: false\n";
  test.each([
    ["nothing", "runner: codex", "", {}, null, []],
    ["a mode", "mode: inherit_fresh, agent_id: ada", "", {}, "inherit_fresh", []],
    [
      "temporary",
      "agent_class: coder, session_type: temporary",
      "",
      {},
      "ephemeral",
      ["6 legacy-session-type"],
    ],
    [
      "persistent",
      "agent_id: ada, session_type: persistent",
      "",
      {},
      "inherit_fresh",
      ["6 legacy-session-type"],
    ],
    [
      "persistent, resuming by the setting",
      "agent_id: ada, session_type: persistent",
      "",
      { legacyPersistentResumes: true },
      "inherit_resume",
      ["6 legacy-session-type"],
    ],
    [
      "persistent, resuming by the file",
      "agent_id: ada, session_type: persistent",
      on,
      {},
      "inherit_resume",
      ["7 legacy-session-type"],
    ],
    [
      "persistent, the file over the setting",
      "agent_id: ada, session_type: persistent",
      off,
      { legacyPersistentResumes: true },
      "inherit_fresh",
      ["7 legacy-session-type"],
    ],
    [
      "an explicit mode over all of it",
      "agent_id: ada, mode: inherit_fresh, session_type: persistent",
      on,
      { legacyPersistentResumes: true },
      "inherit_fresh",
      [],
    ],
  ] as const)("%s", (_, data, head, options, mode, reported) => {
    const result = agent(data, head, options);
    expect(result.node.mode).toBe(mode);
    expect(result.reported).toEqual(reported);
  });

  test("agent_class and agent_id are agentClass and agentId", () => {
    expect(agent("agent_class: coder").node.agentClass).toBe("coder");
    expect(agent("agentClass: coder").node.agentClass).toBe("coder");
    expect(agent("agent_id: ada, mode: inherit_fresh").node.agentId).toBe("ada");
  });

  test.each([
    ["mode: inherit_frsh, agent_id: ada", "bad-value", '"inherit_fresh"'],
    ["agent_id: ada, session_type: persistant", "bad-session-type", '"persistent"'],
  ])("%s is an error", (data, code, hint) => {
    const { graph, findings } = load(file(data));
    expect(graph).toBeNull();
    expect(findings).toMatchObject([
      { code, position: { line: 6 }, hint: expect.stringContaining(hint) },
    ]);
  });
});

test("session, fork, settings and the rest", () => {
  expect(
    agent(
      "runner: codex, session: { name: s, scope: workflow }, fork: s, adopt: true, model: m, cwd: web, instructions: Be brief., settings: { depth: 3 }, budget: { maxTokens: 5 }, busy: fail, onInterrupted: fail",
    ).node,
  ).toMatchObject({
    session: { name: "s", scope: "workflow" },
    fork: { name: "s", scope: "run" },
    adopt: true,
    model: "m",
    folder: { parts: ["web"] },
    instructions: { parts: ["Be brief."] },
    settings: { depth: "3" },
    budget: { maxTokens: 5 },
    busy: "fail",
    onInterrupted: "fail",
  });
  expect(agent("runner: codex").node).toMatchObject({
    session: null,
    fork: null,
    adopt: false,
    folder: null,
    settings: {},
    busy: null,
    onInterrupted: "continue",
  });
});

test("each property of the output schema is an output, as a mapping or as JSON text", () => {
  const types = (data: string) =>
    agent(`runner: codex, ${data}`)
      .node.outputs.slice(6)
      .map(({ name, type }) => `${name} ${type}`);
  const schema =
    '{"type":"object","properties":{"ok":{"type":"boolean"},"n":{"type":"integer"},"list":{"type":"array"},"x":{}}}';
  const expected = ["ok boolean", "n number", "list json", "x any"];
  expect(types(`outputSchema: ${schema}`)).toEqual(expected);
  expect(types(`outputSchema: '${schema}'`)).toEqual(expected);
  expect(types("outputs: [{ name: files, type: files }]")).toEqual(["files json"]);
  expect(agent(`runner: codex, outputSchema: '${schema}'`).node.outputSchema).toEqual(
    JSON.parse(schema),
  );
});

test("an agent of the API has its messages as an output", () => {
  expect(agent("runner: openai").node.outputs.map(({ name }) => name)).toContain(
    "conversationHistory",
  );
  expect(agent("runner: codex").node.outputs.map(({ name }) => name)).not.toContain(
    "conversationHistory",
  );
});

test("S3: onDenied: ask is refused at its line for a runner whose agents cannot ask", () => {
  const refused = (data: string) =>
    load(file(`onDenied: ask, ${data}`), { runners: exampleRunners }).findings.filter(
      ({ severity }) => severity === "error",
    );
  expect(refused("runner: codex")).toMatchObject([
    {
      code: "cannot-ask",
      position: { line: 6 },
      message: 'Node "a" has onDenied: ask, but an agent of codex cannot ask for permission.',
    },
  ]);
  expect(refused("runner: claude-code")).toEqual([]);
  // Which provider the agent has is known only where it runs.
  expect(refused("mode: inherit_fresh, agentId: ada")).toEqual([]);
});
