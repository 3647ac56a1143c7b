import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LookOptions, Reprise } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openReprise } from "../open-reprise.ts";

let folder: string;
let reprise: Reprise;
/** A program that leaves a mark when it is started. */
let program: string;
let mark: string;

beforeEach(async () => {
  folder = temporaryFolder("plan");
  mark = join(folder, "mark");
  program = join(folder, "program");
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(program, 0o700);
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true, force: true });
});

/** One agent node with these settings. */
function workflow(provider: string, settings: object, more: object = {}): string {
  const steps = { ask: { agent: provider, prompt: "hello", settings } };
  return JSON.stringify({ name: "asked", ...more, steps });
}

function plan(source: string, options?: LookOptions) {
  return reprise.runs.plan({ source }, options);
}

const callers = [
  ["a caller who may run it", { mayRun: true }],
  ["one who may not", { mayRun: false }],
] as const;

describe.each(callers)("V1: for %s a plan", (_, options) => {
  test.each([
    ["scripted", "binary"],
    ["claude", "binary"],
    ["codex", "binary"],
    ["codex", "codex.binary"],
  ])("of %s starts no program that the workflow names as %s", async (provider, name) => {
    const { warnings } = await plan(workflow(provider, { [name]: program }), options);
    expect(existsSync(mark)).toBe(false);
    expect(warnings).toMatchObject([
      { code: "not-checked", message: `Node "ask": the workflow's ${name} was not checked.` },
    ]);
  });

  test("asks the program of a class, which an operator defined", async () => {
    await reprise.agents.createClass({
      name: "own",
      provider: "scripted",
      settings: { binary: program },
    });
    const source = JSON.stringify({
      name: "asked",
      steps: { ask: { agentClass: "own", prompt: "hello" } },
    });
    await plan(source, options).catch(() => {});
    expect(existsSync(mark)).toBe(true);
  });
});

test("V1: a caller who may not run a workflow learns nothing about the paths in it", async () => {
  const secret = join(folder, "secret.yaml");
  writeFileSync(secret, "the secret: { is: here\n");
  mkdirSync(join(folder, "there"));
  const reported = (source: string) =>
    plan(source, { mayRun: false }).then(
      (found) => JSON.stringify(found),
      (error) => `${error.message} ${error.hint}`,
    );
  for (const [there, missing] of [
    [workflow("scripted", { script: secret }), workflow("scripted", { script: `${secret}x` })],
    [workflow("scripted", { home: folder }), workflow("scripted", { home: `${folder}x` })],
    [workflow("claude", { mcpConfig: secret }), workflow("claude", { mcpConfig: `${secret}x` })],
    [
      workflow("scripted", {}, { folder: join(folder, "there") }),
      workflow("scripted", {}, { folder: join(folder, "therex") }),
    ],
  ] as const) {
    const [one, other] = [await reported(there), await reported(missing)];
    expect(other.replaceAll("yamlx", "yaml").replaceAll("therex", "there")).toBe(one);
    expect(one).not.toContain("the secret");
  }
  await expect(plan(workflow("scripted", { script: secret }))).rejects.toMatchObject({
    code: "bad-script",
  });
});

test("V1: explain reveals nothing about a folder to a caller that may not run anything", async () => {
  await reprise.agents.create({ name: "coder", provider: "scripted" });
  mkdirSync(join(folder, "there"));
  const explained = (name: string, mayRun: boolean) =>
    reprise.sessions.explain({ key: "k", agent: "coder", folder: name }, { mayRun });
  for (const name of ["there", "missing"])
    await expect(explained(name, false)).rejects.toMatchObject({
      code: "role",
      message: "Only an operator can name a folder here.",
    });
  await explained("there", true);
  const look = { key: "k", agent: "coder", cwd: join(folder, "missing") };
  await reprise.sessions.explain(look, { mayRun: false });
});

test("W10: a plan says how each session would begin, and leaves nothing behind", async () => {
  const session = { name: "s", scope: "workflow" };
  const ask = { agent: "scripted", prompt: "hello" };
  const steps = {
    first: { ...ask, session },
    second: { ...ask, session, needs: "first" },
    own: ask,
    given: { ...ask, inputs: { sessionId: "inputs.key" } },
  };
  const inputs = { key: { type: "string", default: "" } };
  const source = JSON.stringify({ name: "turns", inputs, steps });
  const turns = async (more: object = {}, options?: LookOptions) => {
    const { steps: planned } = await reprise.runs.plan({ source, ...more }, options);
    return planned.flatMap(({ node, turn }) =>
      turn ? [`${node} ${turn.outcome}: ${turn.why}`] : [],
    );
  };
  const second = "second resume: continues what first began";
  const blank = ["first blank: first turn", second, "own blank: first turn"];
  expect(await turns()).toEqual([...blank, "given blank: first turn"]);
  expect(await reprise.agents.list()).toEqual([]);

  await reprise.runs.start({ source, id: "one" });
  const agents = (await reprise.agents.list()).length;
  const key = "wf:one:agent:own";
  const other = join(folder, "other");
  mkdirSync(other);
  const resumed = ["first resume: all guards pass", second, "own blank: first turn"];
  expect(await turns({ inputs: { key } })).toEqual([...resumed, "given resume: all guards pass"]);
  expect(await turns({ folder: other })).toContain(`first reseed: folder: ${folder} → ${other}`);
  expect(await turns({ continuity: "blank" })).toContain(
    "first blank: policy: resume → blank (turn)",
  );
  expect(await turns({}, { mayRun: false })).toEqual([]);
  expect((await reprise.agents.list()).length).toBe(agents);
});

test("W10: a function that cannot be compiled is refused before anything starts, and not run", async () => {
  const source = (code: string) =>
    JSON.stringify({ name: "f", steps: { a: { function: code }, b: { function: "return {}" } } });
  await expect(plan(source("return {"))).rejects.toMatchObject({
    code: "bad-workflow",
    message: expect.stringContaining('The code of "a" cannot be compiled: SyntaxError'),
  });
  await expect(plan(source("const x: = 1"))).rejects.toMatchObject({ code: "bad-workflow" });
  for (const fine of ["const x: number = await 1; return { x }", "while (true) {}"])
    expect((await plan(source(fine))).steps).toHaveLength(2);
});
