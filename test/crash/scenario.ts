/**
 * The scenario of the crash tests: a first turn, resumed ones, a history that the provider lost and
 * that is restored, and a session that the provider refuses, so that a second attempt follows. Judged
 * by the agent's own ledger, which Reprise does not write.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { lookUp } from "./database.ts";

export const key = "wf:1:agent:coder";
export const afterDamage = "echo the history was damaged";
export const refused = "echo the session is refused";
export const prompts = [
  "remember APPLE-739",
  "echo second",
  afterDamage,
  refused,
  "what did I ask you to remember?",
];

/** What a caller works with. Several callers of one home each have a name and their own key, agent and folder. */
export interface ScenarioCaller {
  readonly key: string;
  readonly agent: string;
  /** The folder of the agent, with its ledger. */
  readonly agentHome: string;
}

export function callerIn(folder: string, name?: string): ScenarioCaller {
  return name === undefined
    ? { key, agent: "coder", agentHome: join(folder, "agent") }
    : { key: `wf:${name}:agent:coder`, agent: name, agentHome: join(folder, `agent-${name}`) };
}

export function newScenario(...callers: readonly string[]): string {
  const folder = temporaryFolder("crash");
  for (const name of callers.length > 0 ? callers : [undefined])
    mkdirSync(callerIn(folder, name).agentHome);
  writeFileSync(
    join(folder, "script.json"),
    JSON.stringify({ rules: [{ when: { resume: true, prompt: refused }, do: ["refuse"] }] }),
  );
  return folder;
}

interface LedgerLine {
  readonly event: string;
  readonly turn?: string;
  readonly prompt?: string;
  readonly history?: number;
  readonly text?: string;
}

/** Every prompt reached the model once, every turn started once per attempt, and nothing was forgotten. */
export function judge(folder: string, name?: string): void {
  const { agent, agentHome } = callerIn(folder, name);
  const ledger = readFileSync(join(agentHome, "ledger.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LedgerLine);
  const sent = ledger.filter(({ event }) => event === "model");
  expect(sent.map(({ prompt }) => prompt?.split("\n").at(-1))).toEqual(prompts);
  // What the provider session had each time: restored for the third, a new one for the fourth.
  expect(sent.map(({ history }) => history)).toEqual([0, 2, 4, 0, 2]);
  const answers = ledger.filter(({ event }) => event === "answer").map(({ text }) => text);
  expect(answers.at(-1)).toBe("APPLE-739");

  const texts = lookUp<{ role: string; text: string }>(
    folder,
    "SELECT role, text FROM message WHERE agent = :agent ORDER BY seq",
    { agent },
  );
  const open = lookUp(folder, "SELECT id FROM turn WHERE ended_at IS NULL");
  const leases = lookUp(folder, "SELECT name FROM lease");
  expect(texts.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(prompts);
  expect(texts.filter(({ role }) => role === "assistant").map(({ text }) => text)).toEqual(answers);
  expect(open).toEqual([]);
  expect(leases).toEqual([]);
}
