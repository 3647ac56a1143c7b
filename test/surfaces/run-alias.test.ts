/** `run({ sessionKey })` is `send({ key })`: in the library, over a connection, and over HTTP. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Served, serve, token } from "./served.ts";

const sessionKey = "fix-42";
let folder: string;
let server: Served;

beforeEach(async () => {
  folder = temporaryFolder("run-alias");
  server = await serve({ home: join(folder, "home"), cwd: folder });
  await server.reprise.agents.create({ name: "coder", provider: "scripted" });
  await server.reprise.sessions.send({ key: sessionKey, agent: "coder", prompt: "remember PLUM" });
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const resumed = { decision: { outcome: "resume" }, output: "PLUM", turn: { seq: 2 } };
const recall = { sessionKey, prompt: "what did I ask you to remember?" };

async function post(body: object): Promise<[number, unknown]> {
  const response = await fetch(`${server.url}/v1/run`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return [response.status, await response.json()];
}

test("run({ sessionKey }) of the library continues the key", async () => {
  expect(await server.reprise.run(recall)).toMatchObject(resumed);
});

test("run({ sessionKey }) over a connection continues the key, and fails after close()", async () => {
  const reprise = await server.connect();
  expect(await reprise.run(recall)).toMatchObject(resumed);
  await reprise.close();
  await expect(reprise.run(recall)).rejects.toMatchObject({ code: "closed" });
});

test("POST /v1/run continues the key", async () => {
  expect(await post(recall)).toMatchObject([200, resumed]);
  expect(await post({ ...recall, forceFreshSession: true })).toMatchObject([
    200,
    { decision: { outcome: "reseed" }, session: { key: sessionKey } },
  ]);
});

test("both names, or none, are refused, and nothing is sent", async () => {
  const both = { ...recall, key: "other" };
  await expect(server.reprise.run(both)).rejects.toMatchObject({ code: "bad-input" });
  expect(await post(both)).toMatchObject([400, { code: "bad-input" }]);
  expect(await post({ prompt: "echo x" })).toMatchObject([400, { code: "bad-input" }]);
  expect(await server.reprise.turns.list({ key: sessionKey })).toHaveLength(1);
});
