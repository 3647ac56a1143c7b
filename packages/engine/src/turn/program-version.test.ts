/** The version that the agent's program names in its output, with a wrapper script whose file stays the same. */

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bridgePath } from "@reprise/providers/define-provider";
import { agentBridge } from "@reprise/providers/scripted/provider";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openReprise } from "../open-reprise.ts";

async function wrapped() {
  const folder = temporaryFolder("wrapped");
  const script = join(folder, "script.json");
  const binary = join(folder, "wrapper");
  const run = `exec '${process.execPath}' '${bridgePath(agentBridge)}' --script '${script}' "$@"`;
  const install = (version: string) => writeFileSync(script, JSON.stringify({ version }));
  const wrap = (first = "") => {
    writeFileSync(binary, `#!/bin/sh\n${first}${run}\n`);
    chmodSync(binary, 0o755);
  };
  install("1.0");
  wrap();
  const reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  await reprise.agents.create({ name: "coder", provider: "scripted", settings: { binary } });
  const send = async (key = "fix") => {
    const turn = await reprise.sessions.send({ key, agent: "coder", prompt: "echo hi" });
    expect(turn.turn.status).toBe("done");
    return turn.notices.filter(({ code }) => code === "runtime-version").map(({ text }) => text);
  };
  const versionOf = async () =>
    (await reprise.doctor()).findings.find(({ subject }) => subject === "agent coder")?.text;
  return {
    ...{ install, wrap, send, versionOf },
    [Symbol.asyncDispose]: () => reprise.close(),
  };
}

test("S0j: an upgrade behind an unchanged wrapper script is the notice of any new version", async () => {
  await using agent = await wrapped();
  expect(await agent.send()).toEqual([]);
  agent.install("2.0");
  expect(await agent.versionOf()).toContain("scripted 1.0");
  expect(await agent.send()).toEqual([
    "The version of the agent's program changed from 1.0 to 2.0.",
  ]);
  expect(await agent.versionOf()).toContain("scripted 2.0");
  expect(await agent.send()).toEqual([]);
});

test("S0j: an upgrade that the probe found is said once", async () => {
  await using agent = await wrapped();
  expect(await agent.send()).toEqual([]);
  agent.install("2.0");
  agent.wrap("# upgraded\n");
  expect(await agent.send()).toHaveLength(1);
  expect(await agent.send()).toEqual([]);
});

test("S0j: a program that always names two versions has changed only if the one in its output did", async () => {
  await using agent = await wrapped();
  agent.wrap('[ "$1" = --version ] && { echo "fork 9"; exit; }\n');
  expect(await agent.send()).toEqual([]);
  expect(await agent.send()).toEqual([]);
  agent.install("1.1");
  expect(await agent.send()).toEqual([
    "The version of the agent's program changed from 1.0 to 1.1.",
  ]);
  expect(await agent.send()).toEqual([]);
});
