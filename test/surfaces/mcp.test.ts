/** The MCP server with the official client, over standard input and output and over HTTP. */

import { execFileSync } from "node:child_process";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openReprise } from "@reprise/engine/open-reprise";
import { createToken } from "@reprise/engine/tokens";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Served, serve, token } from "./served.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const key = "wf:42:agent:coder";
const gated = `
name: gated
steps:
  plan: { shell: seq 1 5000 }
  ask: { needs: plan, gate: { title: "Continue?" } }
  say: { needs: ask, shell: echo said }
`;

let folder: string;
let server: Served | null;
let client: Client;

beforeEach(async () => {
  server = null;
  folder = temporaryFolder("mcp");
  const rules = [{ when: { prompt: "held" }, do: ["model", { "wait-for": "released" }, "answer"] }];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  writeFileSync(join(folder, "gated.yaml"), gated);
  const local = await openReprise({ home: join(folder, "home"), cwd: folder });
  const settings = { script: join(folder, "script.json"), home: join(folder, "agent") };
  await local.agents.create({ name: "coder", provider: "scripted", settings });
  await local.close();
  client = new Client({ name: "test", version: "1" });
});

afterEach(async () => {
  await client.close();
  await server?.close();
  rmSync(folder, { recursive: true });
});

const transports = {
  async stdio(role = "operator") {
    const args = [program, "mcp", "--home", join(folder, "home"), "--by", "ann", "--role", role];
    const env = { ...(process.env as Record<string, string>) };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, cwd: folder }),
    );
  },
  async http(role = "operator") {
    server ??= await serve({ home: join(folder, "home"), cwd: folder });
    const { store } = server;
    const made =
      role === "operator"
        ? { token }
        : await createToken(store, { name: "ann", role, at: Date.now() });
    const headers = { authorization: `Bearer ${made.token}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers },
    });
    await client.connect(transport);
  },
};

async function call(name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input });
  const [content] = result.content;
  const printed = JSON.parse(content?.type === "text" ? content.text : "");
  // The text is the same document, and nothing else. An error is in the text alone.
  expect(result.structuredContent).toEqual(result.isError ? undefined : printed);
  return { ...printed, isError: result.isError ?? false };
}

describe.each([
  ["stdio", "2025"],
  ["stdio", "2026"],
  ["http", "2025"],
  ["http", "2026"],
] as const)("over %s, in the protocol of %s", (way, year) => {
  beforeEach(async () => {
    const mode = year === "2026" ? { pin: "2026-07-28" } : "legacy";
    client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await transports[way]();
  });

  test("a session is continued, explained and listed", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "continue_session",
      "finish_session",
      "get_turn",
      "cancel_turn",
      "explain_session",
      "list_sessions",
      "adopt_session",
      "fork_session",
      "validate_workflow",
      "run_workflow",
      "get_run",
      "rerun_workflow",
      "cancel_run",
      "read_artifact",
      "list_inbox",
    ]);
    const first = { key, agent: "coder", prompt: "remember PLUM-1" };
    expect(await call("continue_session", first)).toMatchObject({
      status: "done",
      outcome: "blank",
      isError: false,
    });
    const explained = await call("explain_session", { key });
    expect(explained).toMatchObject({ outcome: "resume" });
    expect(explained.verdicts.length).toBeGreaterThan(5);
    const steps: string[] = [];
    const next = await client.callTool(
      {
        name: "continue_session",
        arguments: { key, prompt: "what did I ask you to remember?" },
      },
      { onprogress: ({ message }) => steps.push(message ?? "") },
    );
    expect(next.structuredContent).toMatchObject({ outcome: "resume", output: "PLUM-1" });
    expect(steps[0]).toMatch(/^resume: /);
    expect(await call("list_sessions")).toMatchObject({
      sessions: [{ key, turns: 2, lastOutcome: "resume" }],
    });
    const turn = await call("get_turn", { turn: key });
    expect(turn).toMatchObject({ output: "PLUM-1", verdicts: explained.verdicts });
    expect(await call("get_turn", { turn: "ghost" })).toMatchObject({
      isError: true,
      error: { code: "no-turn", hint: expect.any(String) },
    });
  });

  test("a conversation of an agent's own program is adopted, by its id or by the one that the client names", async () => {
    const local = await openReprise({ home: join(folder, "home"), cwd: folder });
    await local.sessions.send({ key, agent: "coder", prompt: "remember PLUM-2" });
    const { handle } = await local.sessions.show(key);
    await local.sessions.purge(key);
    await local.close();

    const nameless = { key: "taken", provider: "scripted", folder };
    expect(await call("adopt_session", nameless)).toMatchObject({
      isError: true,
      error: { code: "no-conversation" },
    });
    // As codex names its thread.
    const named = { name: "adopt_session", arguments: nameless, _meta: { threadId: handle } };
    const adopted = await client.callTool(named);
    expect(adopted.structuredContent).toMatchObject({ key: "taken", agent: "coder", messages: 2 });
    const again = await call("adopt_session", { ...nameless, key: "other", id: handle });
    expect(again).toMatchObject({ isError: true });
    const next = { key: "taken", prompt: "what did I ask you to remember?" };
    expect(await call("continue_session", next)).toMatchObject({
      outcome: "resume",
      output: "PLUM-2",
    });
  });

  test("a long turn continues, and its result is fetched later", async () => {
    const begun = await call("continue_session", { key, agent: "coder", prompt: "held", wait: 0 });
    expect(["queued", "running"]).toContain(begun.status);
    writeFileSync(join(folder, "released"), "");
    const next = await call("continue_session", { key, prompt: "echo next" });
    expect(next).toMatchObject({ outcome: "resume", status: "done" });
    expect(await call("get_turn", { turn: begun.turn })).toMatchObject({ status: "done" });
  });

  test("a workflow runs to its gate, is approved and gives its artifacts", async () => {
    const run = await call("run_workflow", { path: join(folder, "gated.yaml"), id: "run-1" });
    expect(run).toMatchObject({ run: "run-1", status: "waiting" });
    const { items } = await call("list_inbox");
    expect(items).toMatchObject([{ title: "Continue?", run: "run-1", kind: "approval" }]);
    const [{ item, choices }] = items;
    await client.close();
    client = new Client({ name: "test", version: "1" });
    await transports[way]("approver");
    const answered = await call("answer_inbox", { item, choice: choices[0], comment: "yes" });
    expect(answered).toMatchObject({
      item: { answered: { choice: choices[0], by: "ann" } },
      run: "run-1",
      status: "done",
    });
    const done = await call("get_run", { run: "run-1" });
    const plan = done.nodes.find(({ label }: { label: string }) => label === "plan");
    const [name] = plan.artifacts;
    const piece = { run: "run-1", execution: plan.execution, name, offset: 2, limit: 6 };
    expect(await call("read_artifact", piece)).toMatchObject({
      text: "2\n3\n4\n",
      nextOffset: 8,
    });
    expect(await call("read_artifact", { run: "run-1", name: "none" })).toMatchObject({
      isError: true,
      error: { code: "no-artifact" },
    });
    expect(await call("answer_inbox", { item, choice: choices[1] })).toMatchObject({
      isError: true,
      error: { code: "answered" },
    });
  });

  test("a workflow is checked before it is run, with the line of each finding", async () => {
    const steps = "steps:\n  a: { shell: exit 0 }\n  b: { needs: x, function: 'return (' }\n";
    const report = await call("validate_workflow", { source: `name: w\n${steps}` });
    expect(report).toMatchObject({
      ...{ ok: false, isError: false, nodes: 0 },
      findings: [{ severity: "error", node: "b", position: { line: 4 }, hint: expect.any(String) }],
    });
    const path = join(folder, "gated.yaml");
    const whole = { ok: true, nodes: 3, findings: [], isError: false };
    expect(await call("validate_workflow", { path })).toMatchObject(whole);
    const broken = "name: w\nsteps:\n  a: { function: 'return (' }\n";
    expect(await call("validate_workflow", { source: broken })).toMatchObject({
      ok: false,
      findings: [{ code: "bad-function", position: { line: 3 } }],
    });
    expect(await call("list_inbox")).toMatchObject({ items: [] });
  });

  test("what a workflow leaves open is reported with its run", async () => {
    const source =
      "version: 3\nmetadata: { name: Open }\nnodes:\n  - { id: a, type: constant, data: { value: 1 } }\n";
    expect(await call("run_workflow", { source })).toMatchObject({
      status: "done",
      warnings: [expect.stringMatching(/^line 4: The node "a" has no nodeType; .*\. Write /)],
    });
  });
});

test.each(["stdio", "http"] as const)("V20: over %s only an approver can answer", async (way) => {
  await transports[way]("operator");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("answer_inbox");
  const local = await openReprise({ home: join(folder, "home"), cwd: folder });
  const { waitsFor } = await local.runs.start({ source: gated, id: "run-1" });
  const refused = await client
    .callTool({ name: "answer_inbox", arguments: { item: waitsFor[0], choice: "approve" } })
    .catch((error) => ({ isError: true, error }));
  expect(refused.isError).toBe(true);
  expect(await local.inbox.list()).toMatchObject([{ id: waitsFor[0], resolution: null }]);
  await local.close();
});

test("V11: an error is a text with its code, message and hint, and no structured content", async () => {
  await transports.stdio();
  const result = await client.callTool({ name: "get_turn", arguments: { turn: "ghost" } });
  expect(result).not.toHaveProperty("structuredContent");
  const { error } = await call("get_turn", { turn: "ghost" });
  expect(error).toEqual({
    code: "no-turn",
    message: expect.stringContaining("ghost"),
    hint: expect.any(String),
  });
});

test.each(["run_workflow", "validate_workflow"])(
  "V6: %s reads regular files of limited size, and nothing else",
  async (name) => {
    await transports.stdio();
    const fifo = join(folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    const large = join(folder, "large.yaml");
    writeFileSync(large, "");
    truncateSync(large, 1024 ** 4);
    for (const [path, what] of [
      ["/dev/zero", "is a device, not a regular file."],
      [fifo, "is a FIFO, not a regular file."],
      [large, "has more than 1 MiB."],
    ] as const) {
      const result = await client.callTool({ name, arguments: { path } });
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toContain(`The workflow ${path} ${what}`);
    }
  },
);

test("V13: a tool that is waited for ends when the token is revoked", async () => {
  server = await serve({ home: join(folder, "home"), cwd: folder });
  const { store, url, reprise } = server;
  const { token: own } = await createToken(store, { name: "ben", role: "operator", at: 1 });
  const begun = Promise.withResolvers<void>();
  const watching = new AbortController();
  void (async () => {
    for await (const { type } of reprise.events({ after: 0, signal: watching.signal }))
      if (type === "turn.launched") begun.resolve();
  })();
  const asked = fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${own}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: {
        name: "continue_session",
        arguments: { key, agent: "coder", prompt: "held", wait: 600 },
      },
    }),
  }).then(async (response) => `${response.status} ${await response.text()}`);
  await begun.promise;
  await store.revokeToken({ name: "ben", at: 2 });
  expect(await asked).not.toContain('"result"');
  writeFileSync(join(folder, "released"), "");
  watching.abort();
});

test("a role has only its tools", async () => {
  await transports.stdio("approver");
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toContain("answer_inbox");
  expect(names).not.toContain("continue_session");
  expect(names).not.toContain("run_workflow");
});

test("over HTTP a request without a token is refused", async () => {
  server = await serve({ home: join(folder, "home"), cwd: folder });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`));
  await expect(client.connect(transport)).rejects.toThrow();
});
