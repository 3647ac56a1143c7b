import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "@reprise/store/contract/agents";
import type { AgentNode, Graph } from "@reprise/workflow/graph";
import { expect, test } from "vitest";
import { createAgent, createClass } from "../../agents.ts";
import { type Engine, newId, sha256 } from "../../engine.ts";
import { send } from "../../turn/send.ts";
import { runAgent } from "./agent.ts";
import { checkAgents } from "./check-agents.ts";
import { describeAgent, nodeTurn } from "./node-agent.ts";
import { key, TestNode } from "./test-node.ts";

async function agentOf(engine: Engine, node: AgentNode, folder: string): Promise<Agent> {
  return (await nodeTurn(engine, node, { key: "none", folder })).agent;
}

const recall = "what did I ask you to remember?";

async function withAgent(node: TestNode): Promise<string> {
  const folder = join(node.root, "source");
  mkdirSync(folder);
  writeFileSync(join(folder, "memory.md"), "What I know.\n");
  await createAgent(node.engine, {
    name: "anna",
    provider: "scripted",
    folder,
    settings: { script: node.script, instructions: "Be brief." },
  });
  return folder;
}

/** Every file below a folder with its digest. */
function tree(folder: string): string[] {
  return globSync("**/*", { cwd: folder })
    .toSorted()
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => `${name} ${sha256(readFileSync(join(folder, name), "latin1"))}`);
}

test("nodes that say the same are one agent, which no list shows", async () => {
  await using node = await TestNode.open();
  const { engine } = node;
  const one = await agentOf(engine, node.node(), node.root);
  const same = await agentOf(engine, node.node({ id: "other", model: "large" }), node.root);
  expect(same).toEqual(one);
  expect(one).toMatchObject({ provider: "scripted", hidden: true, sessions: "default" });
  expect(one.name).toMatch(/^scripted\.[0-9a-f]{10}$/);
  const instructions = { ...node.node().settings, instructions: "Be brief." };
  const other = await agentOf(engine, node.node({ settings: instructions }), node.root);
  expect(other.name).not.toBe(one.name);
  expect(await engine.store.listAgents()).toEqual([]);
});

test("relative paths in a node's settings start from the run's folder", async () => {
  await using node = await TestNode.open();
  const settings = { script: "./script.json" };
  const agent = await agentOf(node.engine, node.node({ settings }), node.root);
  expect(agent.settings).toEqual({ script: node.script });
});

test("a setting with a provider's name before it is for that provider alone", async () => {
  await using node = await TestNode.open();
  const settings = { script: "a.json", "scripted.script": "./script.json", "codex.sandbox": "x" };
  const agent = await agentOf(node.engine, node.node({ settings }), node.root);
  expect(agent.settings).toEqual({ script: node.script });
  const codex = node.node({ provider: "codex", settings: { ...settings, script: "" } });
  expect(await describeAgent(node.engine, codex, node.root)).toMatchObject({
    provider: "codex",
    settings: { script: "", sandbox: "x" },
  });
});

test("a class is where a node begins, and what the node says comes first", async () => {
  await using node = await TestNode.open();
  const { engine } = node;
  const folder = join(node.root, "of-class");
  mkdirSync(folder);
  await createClass(engine, {
    name: "reviewer",
    provider: "scripted",
    model: "large",
    folder,
    settings: { home: node.agentHome, instructions: "Find faults." },
  });
  const of = { provider: null, agentClass: "reviewer" } as const;
  const plain = await agentOf(engine, node.node({ ...of, settings: {} }), node.root);
  expect(plain).toMatchObject({
    name: expect.stringMatching(/^reviewer\./),
    class: "reviewer",
    model: "large",
    settings: { home: node.agentHome, instructions: "Find faults." },
  });
  const own = { instructions: "Find none." };
  const changed = await agentOf(engine, node.node({ ...of, settings: own }), node.root);
  expect(changed.settings).toEqual({ home: node.agentHome, ...own });

  const context = node.context();
  await runAgent(context, node.work("echo on", { ...of, settings: {} }));
  const turn = await engine.store.readTurn(context.turns[0]!);
  expect(turn?.request.folder).toBe(folder);
  expect(node.prompts()[0]).toContain("Find faults.");
});

test("inherit_fresh: the agent's profile in the run's folder, and the agent stays as it was", async () => {
  await using node = await TestNode.open();
  const { engine } = node;
  const source = await withAgent(node);
  await send(engine, { key: "agent:anna", agent: "anna", prompt: "remember PEAR-1" });
  const state = async () => ({
    row: await engine.store.readAgent("anna"),
    session: await engine.store.readSession("agent:anna"),
    load: await engine.store.load({ key: "agent:anna", agent: "anna" }),
    files: [tree(source), tree(engine.home.agentFolder("anna"))],
  });
  const before = await state();

  const inherits = {
    provider: null,
    agentId: "anna",
    mode: "inherit_fresh",
    settings: {},
  } as const;
  const context = node.context({ execution: "review/1/coder" });
  const end = await runAgent(context, node.work(recall, inherits));
  expect(end).toMatchObject({ type: "done", outcome: "blank" });
  const turn = await engine.store.readTurn(context.turns[0]!);
  expect(turn).toMatchObject({
    request: { folder: node.root, agent: expect.stringMatching(/^anna\.[0-9a-f]{10}$/) },
    attempts: [
      {
        decision: {
          reason: "policy",
          mode: "inherit_fresh",
          startupPrompt: "skip_intro",
          runFolder: "run",
        },
      },
    ],
  });
  // What it keeps for itself is the run's.
  expect(existsSync(join(engine.home.path, "runs", "r1", "agents"))).toBe(true);
  expect(await state()).toEqual(before);

  const next = node.context({ execution: "review/2/coder" });
  const going = await runAgent(next, node.work("echo on", inherits, { how: "continue" }));
  expect(going).toMatchObject({ outcome: "resume" });
  expect(await state()).toEqual(before);
});

test("inherit_resume: the agent itself continues, in its own session and folder", async () => {
  await using node = await TestNode.open();
  const { engine } = node;
  const folder = await withAgent(node);
  const resumes = {
    provider: null,
    agentId: "anna",
    mode: "inherit_resume",
    settings: {},
  } as const;
  const work = node.work(recall, resumes, { key: "agent:anna", how: "continue" });
  expect(await runAgent(node.context(), work)).toMatchObject({
    type: "failed",
    error: { code: "nothing-to-continue" },
  });

  await send(engine, { key: "agent:anna", agent: "anna", prompt: "remember PEAR-1" });
  const context = node.context({ turns: [newId()] });
  expect(await runAgent(context, work)).toMatchObject({
    outcome: "resume",
    outputs: { output: "PEAR-1", sessionId: "agent:anna" },
  });
  expect(await engine.store.readTurn(context.turns[0]!)).toMatchObject({
    request: { agent: "anna", folder },
    attempts: [{ decision: { mode: "inherit_resume", runFolder: "source" } }],
  });
});

test("a fork begins with the past of another session, once", async () => {
  await using node = await TestNode.open();
  await runAgent(node.context(), node.work("remember PEAR-1"));
  const fork = { key: "wf:r1:agent:copy", fork: key };
  const context = node.context();
  const work = node.work(recall, {}, fork);
  const end = await runAgent(context, work);
  expect(end).toMatchObject({ outcome: "resume", outputs: { output: "PEAR-1" } });
  const again = await runAgent(node.context(), node.work("how many turns?", {}, fork));
  expect(again).toMatchObject({ outcome: "resume", outputs: { output: "This is turn 3." } });
});

test("a provider's own session is taken over", async () => {
  await using node = await TestNode.open();
  await runAgent(node.context(), node.work("remember PEAR-1"));
  const id = String(node.ledger("model")[0]?.session);
  const { engine } = node;
  await engine.store.purgeSession({ key, at: engine.now() });
  const adopts = { key: "wf:r1:agent:taken", adopt: id };
  const end = await runAgent(node.context(), node.work(recall, { adopt: true }, adopts));
  expect(end).toMatchObject({ outcome: "resume", outputs: { output: "PEAR-1" } });
});

test("messages of another conversation are its beginning", async () => {
  await using node = await TestNode.open();
  const messages = [
    { role: "user", content: "remember PEAR-1" },
    { role: "assistant", content: "I will." },
  ];
  const end = await runAgent(node.context(), node.work(recall, {}, { messages }));
  expect(end).toMatchObject({ outcome: "reseed", outputs: { output: "PEAR-1" } });
});

test("a budget is the session's own, from its beginning", async () => {
  await using node = await TestNode.open();
  const budget = { maxTokens: 1000, over: "refuse" };
  await runAgent(node.context(), node.work("echo on", { budget }));
  const session = await node.engine.store.readSession(key);
  expect(session?.settings).toEqual({ "budget.maxTokens": 1000, "budget.over": "refuse" });
});

const graph = (node: AgentNode): Graph => ({
  name: "w",
  slug: "w",
  description: null,
  folder: null,
  inputs: [],
  nodes: [node],
  edges: [],
  parallel: 4,
});

test.each([
  [{ provider: "scriptd" }, "no-provider", 2],
  [{ provider: "openclaw" }, "not-supported", 2],
  [{ provider: "codex", settings: { binary: "/nowhere/codex" } }, "no-program", 4],
  [{ provider: null, agentClass: "unknown" }, "no-class", 4],
  [{ provider: null, agentId: "unknown", mode: "inherit_fresh" }, "no-agent", 4],
  [{ provider: null, agentId: "unknown", mode: "inherit_resume", settings: {} }, "no-agent", 4],
  [{ settings: { scrpt: "x" } }, "unknown-setting", 2],
  [{ settings: { script: "/nowhere" } }, "bad-script", 2],
  [{ outputSchema: { type: "nope" } }, "bad-schema", 2],
  [{ budget: { maxTokns: 1 } }, "no-session-setting", 2],
  [{ provider: "codex", agentClass: "reviewer" }, "other-provider", 2],
  [
    { provider: null, agentId: "anna", mode: "inherit_resume", settings: { home: "/x" } },
    "settings-of-agent",
    2,
  ],
] as const)("what cannot work is named before a run: %j", async (more, code, exitCode) => {
  await using node = await TestNode.open();
  const { engine } = node;
  await withAgent(node);
  await createClass(engine, { name: "reviewer", provider: "scripted" });
  await expect(
    checkAgents(engine, graph(node.node(more as Partial<AgentNode>))),
  ).rejects.toMatchObject({
    code,
    exitCode,
    message: expect.stringMatching(/^line 7:\d+: Node "coder": /),
  });
  expect((await engine.store.listAgents()).map(({ name }) => name)).toEqual(["anna"]);
});

test("what can work passes, and nothing is written", async () => {
  await using node = await TestNode.open();
  const { engine } = node;
  await checkAgents(engine, graph(node.node()));
  expect(await engine.store.readEvents({ after: 0, limit: 10 })).toEqual([]);
  await agentOf(engine, node.node(), node.root);
  expect(await engine.store.readEvents({ after: 0, limit: 10 })).toHaveLength(1);
});

test("W7: another home in a node's settings is judged by the guard runtime", async () => {
  await using node = await TestNode.open();
  const first = node.work("remember PEAR-1");
  expect(await runAgent(node.context(), first)).toMatchObject({ outcome: "blank" });
  const elsewhere = { settings: { ...node.node().settings, home: join(node.root, "elsewhere") } };
  const context = node.context({ turns: [newId()] });
  const work = node.work(recall, elsewhere, { how: "continue" });
  expect(await runAgent(context, work)).toMatchObject({ outcome: "reseed" });
  expect(await node.engine.store.readTurn(context.turns[0]!)).toMatchObject({
    attempts: [{ decision: { reason: "runtime" } }],
  });
});

test("W7: inherit_resume takes a model and instructions for its turn alone", async () => {
  await using node = await TestNode.open();
  const { engine } = node;
  await withAgent(node);
  await send(engine, { key: "agent:anna", agent: "anna", prompt: "remember PEAR-1" });
  const before = await engine.store.readAgent("anna");
  const resumes = {
    provider: null,
    agentId: "anna",
    mode: "inherit_resume",
    settings: {},
    model: "large",
  } as const;
  const context = node.context({ turns: [newId()] });
  const work = node.work(recall, resumes, { key: "agent:anna", how: "continue" });
  const end = await runAgent(context, { ...work, instructions: "In one word." });
  expect(end).toMatchObject({ outcome: "resume", outputs: { output: "PEAR-1" } });
  expect(await engine.store.readTurn(context.turns[0]!)).toMatchObject({
    request: { agent: "anna", model: "large", instructions: "In one word." },
  });
  expect(await engine.store.readAgent("anna")).toEqual(before);
});

test("W14: inherit_fresh works in the node's own folder, and may only read its source's", async () => {
  await using node = await TestNode.open();
  const { engine } = node;
  const source = await withAgent(node);
  const own = join(node.root, "own");
  mkdirSync(own);
  const inherits = {
    provider: null,
    agentId: "anna",
    mode: "inherit_fresh",
    settings: {},
  } as const;
  const context = node.context();
  const work = { ...node.work("echo hi", inherits), folder: own };
  expect(await runAgent(context, work)).toMatchObject({ type: "done" });
  expect(await engine.store.readTurn(context.turns[0]!)).toMatchObject({
    request: { folder: own, reads: [source], instructions: expect.stringContaining(source) },
  });
});
