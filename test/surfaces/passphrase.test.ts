/** The passphrase of a gate: typed on a terminal, given on standard input or over HTTP, and never over MCP. */

import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openReprise } from "@reprise/engine/open-reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { enter, Terminal } from "../conformance/terminal.ts";
import { inherited } from "../environment.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { serve, token } from "./served.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const gated = "name: g\nsteps:\n  ask: { gate: { title: Ship it?, passphrase: release } }\n";
const right = "correct horse battery";

let folder: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = temporaryFolder("passphrase");
  env = { ...inherited, HOME: folder, REPRISE_HOME: join(folder, "home") };
  writeFileSync(join(folder, "gated.yaml"), gated);
});

afterEach(() => rmSync(folder, { recursive: true }));

function cli(args: readonly string[], stdin = ""): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { cwd: folder, env },
      (error, _, stderr) => resolve({ code: error ? Number(error.code) : 0, stderr }),
    );
    child.stdin?.end(stdin);
  });
}

async function park(): Promise<string> {
  const reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  const { waitsFor } = await reprise.runs.start({ source: gated, id: "r1" });
  await reprise.close();
  return waitsFor[0] ?? "";
}

test("V20: on a terminal it is asked for and never shown", async () => {
  const at = (...args: string[]) =>
    new Terminal([process.execPath, program, ...args], { cwd: folder, env });
  using setting = at("passphrase", "set", "release");
  for (const question of ["New passphrase release:", "Repeat the new passphrase:"]) {
    await setting.shows(new RegExp(question));
    setting.press(right);
    setting.press(enter);
  }
  expect(await setting.ended).toBe(0);
  expect(setting.text()).not.toContain(right);

  const item = await park();
  using refused = at("approve", item);
  await refused.shows(/Passphrase release:/);
  refused.press("a wrong one");
  refused.press(enter);
  expect(await refused.ended).toBe(5);
  expect(refused.text()).toContain("That is not the passphrase release.");

  using approved = at("approve", item);
  await approved.shows(/Passphrase release:/);
  approved.press(right);
  approved.press(enter);
  expect(await approved.ended).toBe(0);
  expect(approved.text()).not.toContain(right);
});

test("V20: it comes from standard input where that is said, and from no argument", async () => {
  expect(
    await cli(["passphrase", "set", "release", "--passphrase-stdin"], `${right}\n`),
  ).toMatchObject({
    code: 0,
  });
  const item = await park();
  expect(await cli(["approve", item])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--passphrase-stdin"),
  });
  expect(await cli(["approve", item, "--passphrase-stdin"])).toMatchObject({ code: 2 });
  expect(await cli(["approve", item, "--passphrase", right])).toMatchObject({ code: 2 });
  expect(await cli(["reject", item, "--passphrase-stdin"], "a wrong one\n")).toMatchObject({
    code: 5,
  });
  expect(await cli(["approve", item, "--passphrase-stdin"], `${right}\n`)).toMatchObject({
    code: 0,
  });
});

test("V20: over HTTP it is a field; an MCP client cannot give it", async () => {
  await cli(["passphrase", "set", "release", "--passphrase-stdin"], `${right}\n`);
  const item = await park();
  const client = new Client({ name: "test", version: "1" });
  const args = [program, "mcp", "--role", "approver"];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: folder }),
  );
  const result = await client.callTool({
    name: "answer_inbox",
    arguments: { item, choice: "approve" },
  });
  expect(JSON.stringify(result)).toContain("passphrase-needed");
  await client.close();

  const server = await serve({ home: join(folder, "home"), cwd: folder });
  const ask = async (body: object) => {
    const response = await fetch(`${server.url}/v1/inbox/${item}/answer`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": crypto.randomUUID(),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  expect(await ask({ choice: "approve" })).toMatchObject({ status: 403 });
  expect(await ask({ choice: "approve", passphrase: "a wrong one" })).toMatchObject({
    status: 403,
  });
  const answered = await ask({ choice: "approve", passphrase: right });
  expect(answered.status).toBe(200);
  expect(answered.text).not.toContain(right);
  await server.close();
});
