/** What an agent starts through a server while its own turn has the only place for an agent and a script. */

import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Reprise } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { appears, until } from "../until.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const call = promisify(execFile);

let folder: string;
let reprise: Reprise;
let env: Record<string, string>;
let outer: { id: string; running: Promise<unknown> };

function cli(args: readonly string[], more: Record<string, string> = {}) {
  const options = { cwd: folder, env: { ...env, ...more } };
  return call(process.execPath, [program, ...args], options);
}

/** As a process of the outer turn's agent calls Reprise. */
const inside = (...args: readonly string[]) => cli(args, { REPRISE_TURN: outer.id });

beforeEach(async () => {
  folder = temporaryFolder("inner");
  const settings = { script: join(folder, "script.json"), home: join(folder, "agent") };
  const rules = [
    { when: { prompt: "held" }, do: [{ touch: "working" }, "model", { "wait-for": "released" }] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  const workflow = "name: inner\nsteps:\n  say: { agent: scripted, prompt: echo said }\n";
  writeFileSync(join(folder, "inner.yaml"), workflow);
  const gated = "name: gated\nsteps:\n  ask: { gate: Continue? }\n";
  writeFileSync(join(folder, "gated.yaml"), gated);
  env = {
    ...(process.env as Record<string, string>),
    REPRISE_HOME: join(folder, "home"),
    REPRISE_MAX_AGENTS: "1",
    REPRISE_MAX_SCRIPTS: "1",
    XDG_CONFIG_HOME: join(folder, "config"),
  };
  reprise = await openReprise({ home: env.REPRISE_HOME!, cwd: folder, env });
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  const opened = Promise.withResolvers<string>();
  const running = reprise.sessions.send(
    { key: "outer", agent: "coder", prompt: "held" },
    { onOpened: opened.resolve },
  );
  outer = { id: await opened.promise, running };
  await appears(join(folder, "working"));
});

afterEach(async () => {
  writeFileSync(join(folder, "released"), "");
  await outer.running;
  await cli(["down"]);
  await reprise.close();
  rmSync(folder, { recursive: true });
});

async function ended(run: string): Promise<string> {
  const status = async () => (await reprise.runs.show(run)).status;
  await until(async () => (await status()) !== "running");
  expect((await reprise.turns.why(outer.id)).turn.status).toBe("running");
  return status();
}

test("V18: a run that an agent starts through the server does not wait for its own turn", async () => {
  await cli(["up", "--detach", "--port", "0"]);
  const { stdout } = await inside("run", "inner.yaml", "--detach");
  expect(await ended(stdout.trim())).toBe("done");
  const again = await inside("rerun", stdout.trim(), "--from-start", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ status: "done" });
  expect(await ended(stdout.trim())).toBe("done");
});

test("V19: events name the turn whose agent changed something through the server", async () => {
  await cli(["up", "--detach", "--port", "0"]);
  await inside("agent", "create", "helper", "--provider", "scripted");
  await inside("session", "set", "outer", "--archive-after", "30d");
  const found: unknown[] = [];
  for await (const { type, data } of reprise.events({ after: 0 })) {
    if (type === "agent.created" || type === "session.set") found.push([type, data]);
    if (type === "session.set") break;
  }
  const by = `turn:${outer.id}`;
  expect(found.slice(-2)).toMatchObject([
    ["agent.created", { by }],
    ["session.set", { by }],
  ]);
});

test("V18: a run that an agent starts over MCP does not wait for its own turn", async () => {
  await cli(["up", "--detach", "--port", "0"]);
  const client = new Client({ name: "agent", version: "1" });
  const command = { command: process.execPath, args: [program, "mcp"], cwd: folder };
  const variables = { ...env, REPRISE_TURN: outer.id };
  await client.connect(new StdioClientTransport({ ...command, env: variables }));
  const input = { path: join(folder, "inner.yaml"), id: "inner", wait: 0 };
  await client.callTool({ name: "run_workflow", arguments: input });
  expect(await ended("inner")).toBe("done");
  await client.close();
});

test("V18: a server that an agent's command started belongs to no turn", async () => {
  const { stdout } = await inside("run", "gated.yaml", "--detach", "--json");
  const { id } = JSON.parse(stdout);
  expect(await ended(id)).toBe("waiting");
  await reprise.turns.cancel(outer.id);
  const { stdout: status } = await cli(["status", "--json"]);
  expect(JSON.parse(status)).toMatchObject({ server: { state: "answers" } });
  const [item = ""] = (await reprise.runs.show(id)).waitsFor;
  await cli(["approve", item]);
  expect((await reprise.runs.show(id)).status).toBe("done");
});
