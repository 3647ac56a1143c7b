/** `agents.set`: what sessions of a changed agent decide next, and what is refused. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Explanation, Reprise, SetAgent } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openReprise } from "./open-reprise.ts";

const key = "fix-42";
const recall = "what did I ask you to remember?";

let folder: string;
let reprise: Reprise;

beforeEach(async () => {
  folder = temporaryFolder("set");
  for (const name of ["here", "there"]) mkdirSync(join(folder, name));
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  await reprise.agents.create({
    name: "coder",
    provider: "scripted",
    folder: join(folder, "here"),
    settings: { instructions: "Be brief." },
  });
  await reprise.sessions.send({ key, agent: "coder", prompt: "remember PLUM" });
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

const set = (change: Omit<SetAgent, "name">) => reprise.agents.set({ name: "coder", ...change });

async function explained(): Promise<Explanation["decision"]> {
  return (await reprise.sessions.explain({ key })).decision;
}

function verdict({ verdicts }: Explanation["decision"], guard: string) {
  return verdicts.find((each) => each.guard === guard);
}

async function changes(): Promise<unknown[]> {
  const seen: unknown[] = [];
  const stop = new AbortController();
  await reprise.agents.create({ name: "last", provider: "scripted" });
  for await (const { type, stream, data } of reprise.events({ signal: stop.signal })) {
    if (type === "agent.changed") seen.push(data);
    if (stream === "agent:last") stop.abort();
  }
  return seen;
}

test("another model is a note, and a reseed where the session wants it so", async () => {
  expect(await set({ model: "large" })).toMatchObject({ name: "coder", model: "large" });
  const noted = await explained();
  expect(noted).toMatchObject({ outcome: "resume", notices: [{ code: "model" }] });
  expect(verdict(noted, "model")).toMatchObject({ stored: "default", current: "large" });

  await reprise.sessions.set({ key, settings: { onModelChange: "reseed" } });
  expect(await explained()).toMatchObject({ outcome: "reseed", reason: "model" });
  await set({ model: null });
  expect(await explained()).toMatchObject({ outcome: "resume", notices: [] });
  expect((await reprise.sessions.show(key)).settings).toEqual({ onModelChange: "reseed" });
});

test("S2: a key stays in its folder when its agent gets another one, and is named", async () => {
  const changed = await set({ folder: "there" });
  expect(changed).toMatchObject({
    folder: join(folder, "there"),
    notices: [{ code: "folder-kept", text: expect.stringContaining(`Session ${key} stays`) }],
  });
  expect((await set({ model: "m" })).notices).toEqual([]);
  await set({ model: null });
  expect(verdict(await explained(), "folder")).toMatchObject({
    passed: true,
    current: join(folder, "here"),
  });
  const sent = await reprise.sessions.send({ key, prompt: recall });
  expect(sent).toMatchObject({ decision: { outcome: "resume" }, output: "PLUM" });

  const other = await reprise.sessions.send({ key: "new", agent: "coder", prompt: "echo hi" });
  expect(other.turn.status).toBe("done");
  const { decision } = await reprise.sessions.explain({ key: "new" });
  expect(verdict(decision, "folder")?.current).toBe(join(folder, "there"));
});

test("new instructions travel in the next turn, another home is another runtime", async () => {
  await set({ settings: { instructions: "Be thorough." } });
  expect(await explained()).toMatchObject({
    outcome: "resume",
    notices: [{ code: "instructions" }],
  });
  const { settings } = await set({ settings: { instructions: null, home: "elsewhere" } });
  expect(settings).toEqual({ home: join(folder, "elsewhere") });
  expect(await explained()).toMatchObject({ outcome: "reseed", reason: "runtime" });
});

test("what its starts do, and its kind", async () => {
  await set({ sessions: "fresh" });
  const start = { key, surface: "agent" } as const;
  const fresh = await reprise.sessions.explain(start);
  expect(fresh.decision).toMatchObject({ outcome: "blank", reason: "policy" });
  await set({ sessions: "default", kind: "background" });
  const { decision } = await reprise.sessions.explain(start);
  expect(decision).toMatchObject({ outcome: "resume" });
  expect(verdict(decision, "policy")?.current).toContain("kind");
});

test("the event names what changed, without the values of settings", async () => {
  await set({ by: "ann", model: "large", settings: { instructions: "Mind the SECRET." } });
  await set({ model: "large" });
  expect(await changes()).toEqual([{ model: "large", settings: ["instructions"], by: "ann" }]);
});

test.each<[string, SetAgent, string]>([
  ["an agent that is not there", { name: "unknown", model: "large" }, "no-agent"],
  ["a name that is none", { name: "a/b", model: "large" }, "bad-input"],
  ["a model without a name", { name: "coder", model: "" }, "bad-input"],
  ["a folder that is not there", { name: "coder", folder: "absent" }, "folder-missing"],
  [
    "a setting that it cannot have",
    { name: "coder", settings: { scirpt: "x" } },
    "unknown-setting",
  ],
  [
    "a setting to take away, misspelt",
    { name: "coder", settings: { hoem: null } },
    "unknown-setting",
  ],
  ["a value that cannot be used", { name: "coder", settings: { script: "absent" } }, "bad-script"],
  ["a field of another name", { name: "coder", provider: "codex" } as SetAgent, "bad-input"],
])("%s is refused, and nothing changes", async (_, change, code) => {
  const before = await reprise.agents.show("coder");
  await expect(reprise.agents.set({ model: "other", ...change })).rejects.toMatchObject({ code });
  expect(await reprise.agents.show("coder")).toEqual(before);
  expect(await changes()).toEqual([]);
});

test("an agent that nodes were made for is theirs to say", async () => {
  await reprise.runs.start({
    source: "name: w\nsteps:\n  work: { agent: scripted, prompt: echo hi }\n",
  });
  const [{ agent } = { agent: "" }] = (await reprise.sessions.list()).filter(
    ({ agent: name }) => name !== "coder",
  );
  expect(agent).toMatch(/^scripted\./);
  await expect(reprise.agents.set({ name: agent, model: "large" })).rejects.toMatchObject({
    name: "UsageError",
    code: "agent-of-node",
  });
});
