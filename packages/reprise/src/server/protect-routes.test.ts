/** Kept sessions over HTTP: what each role sees and may do. */

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@reprise/client/connect";
import { expect, onTestFinished, test } from "vitest";
import { TestApp } from "./test-app.ts";

const id = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10";

async function use() {
  const server = await TestApp.open();
  onTestFinished(() => server.close());
  await server.createCoder();
  const file = join(server.folder, "agent", "sessions", `${id}.jsonl`);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, '{"role":"user","text":"a private question"}\n');
  return { server, file };
}

test("an operator turns it on, scans, lists, restores and forgets, and the events say who", async () => {
  const { server, file } = await use();
  const as = { token: await server.tokenFor("ann", "operator") };
  const ask = async (name: string, ...args: unknown[]) => (await server.call(name, args, as)).body;
  expect(await ask("protect.set", { on: true })).toMatchObject({ onAt: expect.any(Number) });
  expect(await ask("protect.scan", {})).toMatchObject({ added: 1 });
  rmSync(file);
  expect(await ask("protect.scan", {})).toMatchObject({ gone: 1 });
  expect(await ask("protect.list", { gone: true })).toMatchObject([{ id }]);
  expect(await ask("protect.restore", { id })).toMatchObject({ changed: true });
  expect(existsSync(file)).toBe(true);
  expect(await ask("protect.forget", id)).toMatchObject({ id });
  expect(await ask("protect.set", { on: false })).toMatchObject({ onAt: null });
  const log = await server.engine.store.readEvents({ after: 0, limit: 100 });
  expect(
    log
      .filter(({ stream }) => stream.startsWith("protection:"))
      .map(({ type, data }) => [type, data]),
  ).toEqual([
    ["protection.on", { by: "ann" }],
    ["protection.restored", { provider: "scripted", id, by: "ann" }],
    ["protection.forgotten", { provider: "scripted", id, by: "ann" }],
    ["protection.off", { by: "ann" }],
  ]);
});

test("a viewer sees counts, and neither contents nor ids", async () => {
  const { server, file } = await use();
  await server.reprise.protect.scan();
  const as = { token: await server.tokenFor("vera", "viewer") };
  const seen = await server.call("protect.status", [], as);
  expect(seen.body.homes).toMatchObject([{ provider: "scripted", kept: 1 }]);
  expect(JSON.stringify(seen.body)).not.toMatch(/private|0f5b1c1e/);
  for (const [name, ...args] of [
    ["protect.list", {}],
    ["protect.scan", {}],
    ["protect.set", { on: true }],
    ["protect.restore", { id }],
    ["protect.forget", id],
  ] as const)
    expect([name, (await server.call(name, args, as)).status]).toEqual([name, 403]);
  expect(existsSync(file)).toBe(true);
});

test("the client has the same calls", async () => {
  const { server, file } = await use();
  const fetch = (url: string | URL | Request, init?: RequestInit) =>
    Promise.resolve(server.app.request(url as string, init));
  const { protect } = await connect("http://127.0.0.1", { token: server.token, fetch });
  expect(await protect.scan({ limit: 5 })).toMatchObject({ added: 1, remaining: 0 });
  rmSync(file);
  await protect.scan();
  expect(await protect.restore({ id: id.slice(0, 8), dryRun: true })).toMatchObject({
    files: [{ path: file, action: "written" }],
    changed: false,
  });
  await expect(protect.restore({ id: "9999" })).rejects.toMatchObject({ code: "not-kept" });
  expect(await protect.list({ gone: true, limit: 1 })).toHaveLength(1);
});
