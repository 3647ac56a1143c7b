/** Runs that begin every session anew, agents that continue in nodes, and agents that are in use. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { appears } from "../../../../test/until.ts";
import { openReprise } from "../open-reprise.ts";

const recall = "what did I ask you to remember?";
let folder: string;
let reprise: Reprise;

beforeEach(async () => {
  folder = temporaryFolder("continuity");
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

/** An agent with a conversation of its own, that answers from a script. */
async function createAgent(name: string, more: object = {}): Promise<void> {
  const rules = [
    { when: { prompt: "hold." }, do: ["model", { touch: "reached" }, { "wait-for": "go" }] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  const settings = { script: join(folder, "script.json") };
  await reprise.agents.create({ name, provider: "scripted", settings, ...more });
}

const resumes = (agent: string, more = "") =>
  `name: x\nsteps:\n  one: { agentId: ${agent}, mode: inherit_resume, prompt: "${recall}"${more} }\n  two: { agentId: ${agent}, mode: inherit_resume, needs: one, prompt: "echo on"${more} }\n`;

async function outcomes(source: string, more: object = {}): Promise<(string | null)[]> {
  const run = await reprise.runs.start({ source, ...more });
  return run.executions.map(({ outcome }) => outcome);
}

test.each([
  ["reseed", "PEAR-1"],
  ["blank", "nothing"],
] as const)(
  "W15: a run with continuity %s begins every session anew that it would continue",
  async (continuity, said) => {
    await createAgent("anna");
    await reprise.sessions.send({ key: "agent:anna", agent: "anna", prompt: "remember PEAR-1" });
    const run = await reprise.runs.start({ source: resumes("anna"), continuity });
    // A session that the run itself began continues.
    expect(run.executions.map(({ outcome }) => outcome)).toEqual([continuity, "resume"]);
    const { output } = run.executions[0]!.outputs as { output: string };
    expect(output.includes("PEAR-1")).toBe(said === "PEAR-1");
    expect(await outcomes(resumes("anna"))).toEqual(["resume", "resume"]);
  },
);

test("W15: so does a session of the workflow, and one that is given as an input", async () => {
  await createAgent("anna");
  const step = (session: string) =>
    `{ agent: scripted, settings: { script: "${join(folder, "script.json")}" }, prompt: "echo x", ${session} }`;
  const shared = `name: shared\nsteps:\n  a: ${step("session: { name: s, scope: workflow }")}\n`;
  const source = `name: given\ninputs: { key: string }\nsteps:\n  a: ${step("inputs: { sessionId: inputs.key }")}\n`;
  expect(await outcomes(shared)).toEqual(["blank"]);
  expect(await outcomes(shared)).toEqual(["resume"]);
  expect(await outcomes(shared, { continuity: "reseed" })).toEqual(["reseed"]);
  await reprise.sessions.send({ key: "k", agent: "anna", prompt: "remember PEAR-1" });
  const given = { inputs: { key: "k" }, continuity: "blank" };
  expect((await outcomes(source, given)).at(-1)).toBe("blank");
});

test("W15: an agent of the kind background continues its session in a node", async () => {
  await createAgent("claw", { kind: "background" });
  const source = `name: x\nsteps:\n  a: { agentId: claw, prompt: "remember PEAR-1" }\n`;
  const first = await reprise.runs.start({ source });
  expect(first.executions).toMatchObject([{ session: "agent:claw", outcome: "blank" }]);
  const again = await reprise.runs.start({ source: source.replace("remember PEAR-1", recall) });
  expect(again.executions).toMatchObject([
    { session: "agent:claw", outcome: "resume", outputs: { output: "PEAR-1" } },
  ]);
  expect(await reprise.sessions.show("agent:claw")).toMatchObject({ agent: "claw" });
});

test("W15: any other agent in a node needs a mode", async () => {
  await createAgent("anna");
  const source = `name: x\nsteps:\n  a: { agentId: anna, prompt: "echo x" }\n`;
  await expect(reprise.runs.start({ source })).rejects.toMatchObject({ code: "no-mode" });
  expect(await reprise.runs.list()).toEqual([]);
});

test("W15: a manual run on an agent in use fails before anything starts", async () => {
  await createAgent("anna");
  await reprise.sessions.send({ key: "agent:anna", agent: "anna", prompt: "remember PEAR-1" });
  const at = { key: "agent:anna", agent: "anna", prompt: "hold.", folder };
  const working = reprise.sessions.send(at);
  await appears(join(folder, "reached"));

  const refused = reprise.runs.start({ source: resumes("anna") });
  await expect(refused).rejects.toMatchObject({ name: "BusyError", code: "agent-live" });
  await expect(refused).rejects.toThrow(/anna is in use/);
  expect(await reprise.runs.list()).toEqual([]);

  const waits = reprise.runs.start({ source: resumes("anna", ", busy: wait") });
  writeFileSync(join(folder, "go"), "");
  await working;
  expect(await waits).toMatchObject({ status: "done" });
});
