import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NotFoundError, TimedOutError } from "@reprise/core/errors/errors";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { patience } from "../../../../test/until.ts";
import { identify } from "../launch/process.ts";
import { probe } from "./probe.ts";
import type { TestAgentOptions } from "./test-agent.ts";

const testAgent = join(import.meta.dirname, "test-agent.ts");
const digest = (text: string) => createHash("sha256").update(text).digest("hex");
let folder: string;
let kept: Map<string, unknown>;
beforeEach(() => {
  folder = temporaryFolder("acp-probe");
  kept = new Map();
});
afterEach(() => rmSync(folder, { recursive: true }));

const cache = {
  read: async (name: string) => kept.get(name) ?? null,
  write: async (name: string, result: unknown) => void kept.set(name, result),
};
const agentIs = (options: TestAgentOptions) =>
  writeFileSync(join(folder, "agent.json"), JSON.stringify(options));
const look = (command: readonly string[], timeout = patience) =>
  probe(
    {
      name: "coder",
      settings: { command: JSON.stringify(command) },
      privateFolder: folder,
      env: { PATH: `${folder}/bin:/usr/bin:/bin`, TEST_AGENT_HOME: folder },
    },
    { cache, timeout, digest },
  );
const node = [process.execPath, testAgent];

test("finds what the agent says of itself", async () => {
  expect(await look(node)).toEqual({
    binary: process.execPath,
    runtime: {
      product: "test-agent",
      version: "1.0.0",
      home: join(folder, "acp"),
      abilities: ["resume", "model-on-resume"],
    },
    account: null,
  });
});

test.each([
  [{ loads: false, resumes: true }, ["resume", "model-on-resume"]],
  [{ loads: false }, []],
])("an agent with %j has the abilities %j", async (options, abilities) => {
  agentIs(options);
  expect((await look(node)).runtime.abilities).toEqual(abilities);
});

test("the answer is kept for a command, and asked again when one of its files changes", async () => {
  const script = join(folder, "agent.mjs");
  const agent = (version: string) =>
    writeFileSync(
      script,
      `process.stdin.once("data", () => {
  console.log('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"${version}"}}}');
  process.exit();
});`,
    );
  agent("1.0.0");
  const command = [process.execPath, script];
  expect((await look(command)).runtime.version).toBe("1.0.0");
  const [[name, result]] = [...kept] as [[string, { greeting: object }]];
  kept.set(name, { ...result, greeting: { ...result.greeting, version: "kept" } });
  expect((await look(command)).runtime.version).toBe("kept");
  agent("10.0.0");
  expect((await look(command)).runtime.version).toBe("10.0.0");
});

test("a program on the PATH is found, and one that is not is named", async () => {
  mkdirSync(join(folder, "bin"));
  symlinkSync(process.execPath, join(folder, "bin", "node-of-test"));
  expect((await look(["node-of-test", testAgent])).binary).toBe(join(folder, "bin/node-of-test"));
  await expect(look(["no-such-agent"])).rejects.toThrow(/no no-such-agent on the PATH/);
  await expect(look(["/no/such/agent"])).rejects.toBeInstanceOf(NotFoundError);
});

test.each([
  ["ends", ["/bin/sh", "-c", "exit 2"]],
  ["prints something else", ["/bin/echo", "hello"]],
  ["answers with what it was asked", ["/bin/cat"]],
])("a program that %s is not an agent", async (_, command) => {
  await expect(look(command)).rejects.toThrow(/does not speak the Agent Client Protocol/);
});

test("one that does not answer is killed with its children after the time-out", async () => {
  const said = join(folder, "pids");
  const command = ["/bin/sh", "-c", `sleep 300 & echo $! $$ >${said}; trap '' TERM; wait`];
  await expect(look(command, 500)).rejects.toBeInstanceOf(TimedOutError);
  for (const pid of readFileSync(said, "utf8").trim().split(" "))
    expect(identify(Number(pid))).toBeNull();
});
