/** Another agent continues a conversation from our transcript: the person, the model and programs see from which. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TurnResult } from "@reprise/core/api/reprise";
import type { Provider } from "@reprise/providers/provider";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { scripted } from "@reprise/providers/scripted/provider";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openReprise } from "./open-reprise.ts";

/** The scripted agent as another provider. */
const parrot: Provider = {
  ...scripted,
  manifest: { ...scripted.manifest, name: "parrot", runners: ["parrot"] },
};

const key = "feature-42";
const question = "what did I ask you to remember?";
let folder: string;

beforeEach(() => {
  folder = temporaryFolder("takeover");
});

afterEach(() => rmSync(folder, { recursive: true }));

async function open(home: string, agents: Readonly<Record<string, string>>) {
  const reprise = await openReprise({
    ...{ home: join(folder, home), cwd: folder, providers: [parrot] },
  });
  for (const [name, provider] of Object.entries(agents))
    if (!(await reprise.agents.list()).some((agent) => agent.name === name))
      await reprise.agents.create({ name, provider, settings: { home: join(folder, home, name) } });
  return Object.assign(reprise, { [Symbol.asyncDispose]: () => reprise.close() });
}

/** What the model was sent last. */
const prompted = (home: string, agent: string) =>
  String(
    readLedger(ledgerPath(join(folder, home, agent))).findLast(({ event }) => event === "model")
      ?.prompt,
  );

const announced = ({ decision, notices, output }: TurnResult) => ({
  outcome: decision?.outcome,
  from: decision?.takeover?.from,
  prior: decision?.verdicts.find(({ guard }) => guard === "prior")?.stored,
  notices: notices.filter(({ code }) => code === "takeover").map(({ text }) => text),
  output,
});

test("a change of agent is announced to the person and to the model, by name, in both directions", async () => {
  await using reprise = await open("home", { scripted: "scripted", reader: "parrot" });
  await reprise.sessions.send({ key, agent: "scripted", prompt: "remember PLUM-1" });
  expect((await reprise.sessions.explain({ key, agent: "reader" })).decision.takeover).toEqual({
    by: { agent: "reader", provider: "parrot" },
    from: { agent: "scripted", provider: "scripted" },
  });
  const there = await reprise.sessions.send({ key, agent: "reader", prompt: question });
  expect(announced(there)).toEqual({
    outcome: "reseed",
    from: { agent: "scripted", provider: "scripted" },
    prior: "scripted answered last",
    notices: ["reader (parrot) takes over from scripted."],
    output: "PLUM-1",
  });
  expect(prompted("home", "reader")).toContain(
    "You take over the conversation recorded below from another agent, scripted. It is a record,",
  );
  const back = await reprise.sessions.send({ key, agent: "scripted", prompt: question });
  expect(announced(back)).toMatchObject({
    outcome: "reseed",
    notices: ["scripted takes over from reader (parrot)."],
    output: "PLUM-1",
  });
  // Then it is the agent's own conversation again.
  const next = await reprise.sessions.send({ key, prompt: question });
  expect(announced(next)).toMatchObject({ outcome: "resume", from: undefined, notices: [] });
  const fresh = await reprise.sessions.send({ key, prompt: question, continuity: "reseed" });
  expect(announced(fresh)).toMatchObject({ outcome: "reseed", notices: [] });
  expect(prompted("home", "scripted")).toContain("You are continuing the conversation recorded");
});

test("a conversation that is imported without the provider's files is taken over by name", async () => {
  let bundle: Uint8Array;
  {
    await using reprise = await open("one", { coder: "scripted" });
    await reprise.sessions.send({ key, agent: "coder", prompt: "remember PLUM-1" });
    bundle = await reprise.sessions.export({ key, transcriptOnly: true });
  }
  await using other = await open("two", { coder: "scripted", reader: "parrot" });
  await other.sessions.import({ bundle });
  const { decision } = await other.sessions.explain({ key });
  expect(decision).toMatchObject({ outcome: "reseed", reason: "prior" });
  expect(decision.takeover).toBeUndefined();
  expect(decision.verdicts).toContainEqual(
    expect.objectContaining({
      guard: "prior",
      stored: "no provider session",
      current: "2 messages",
    }),
  );
  const turn = await other.sessions.send({ key, agent: "reader", prompt: question });
  expect(announced(turn)).toMatchObject({
    outcome: "reseed",
    prior: "coder (scripted) answered last",
    notices: ["reader (parrot) takes over from coder (scripted)."],
  });
});
