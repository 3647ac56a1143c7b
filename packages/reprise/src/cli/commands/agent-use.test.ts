import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, runWith, remove } = testHome("agent-use");
const config = join(folder, "config");
const run = (...argv: string[]) => runWith({ env: { XDG_CONFIG_HOME: config } }, ...argv);

beforeAll(async () => {
  for (const name of ["coder", "reviewer"])
    await run("agent", "create", name, "--provider", "scripted");
});
afterAll(remove);

test("L5: without a choice, a new session needs an agent, and the hint names both ways", async () => {
  expect(await run("send", "new", "hello")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("reprise agent use NAME"),
  });
  expect(await run("agent", "use")).toMatchObject({ code: 0, stdout: "" });
});

test("L5: the chosen agent of a folder gets its new sessions, and an existing session keeps its own", async () => {
  expect(await run("agent", "use", "coder")).toMatchObject({
    code: 0,
    stdout: `New sessions in ${folder} and below use agent coder.\n`,
  });
  mkdirSync(join(folder, "sub"));
  await run("agent", "use", "reviewer", "--folder", "sub");
  expect((await run("send", "one", "hello")).code).toBe(0);
  expect((await run("send", "two", "hello", "--folder", "sub")).code).toBe(0);
  await run("agent", "use", "reviewer");
  expect((await run("send", "one", "again")).code).toBe(0);
  const agentOf = async (key: string) =>
    JSON.parse((await run("session", "show", key, "--json")).stdout).agent;
  expect([await agentOf("one"), await agentOf("two")]).toEqual(["coder", "reviewer"]);
  expect((await run("agent", "use", "--folder", "sub")).stdout).toBe("reviewer\n");
});

test("L5: the choice can be made for all folders, and removed", async () => {
  await run("agent", "use", "--none");
  expect(await run("agent", "use", "--none")).toMatchObject({ code: 4 });
  await run("agent", "use", "coder", "--everywhere");
  expect((await run("agent", "use")).stdout).toBe("coder\n");
  expect((await run("agent", "use", "--none", "--everywhere")).code).toBe(0);
  expect((await run("agent", "use")).stdout).toBe("");
});

test("L5: an agent that does not exist is not chosen", async () => {
  expect(await run("agent", "use", "missing")).toMatchObject({ code: 4 });
  expect((await run("agent", "use")).stdout).toBe("");
});

test("V3: a project folder cannot choose the agent", async () => {
  mkdirSync(join(folder, ".reprise"));
  const file = join(folder, ".reprise", "config.yaml");
  writeFileSync(file, `defaultAgent: coder\nfolderAgents: {${folder}: coder}\n`);
  expect(await run("send", "three", "hello")).toMatchObject({ code: 2 });
});
