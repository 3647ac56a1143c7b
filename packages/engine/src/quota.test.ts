/** A used-up limit: it is remembered for the account until its reset, and a turn fails, waits or goes to another agent. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress, Reprise, Send } from "@reprise/core/api/reprise";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { until } from "../../../test/until.ts";
import { openEngine } from "./open-reprise.ts";

const hour = 3_600_000;
const reset = "2030-01-01T05:00:00.000Z";
const resetAt = Date.parse(reset);

let folder: string;
let time: number;
const opened: Reprise[] = [];

beforeEach(() => {
  folder = temporaryFolder("quota");
  time = resetAt - hour;
  const limit = { fail: { kind: "quota", message: "Limit reached", resetAt } };
  write("coder", [
    { when: { prompt: "too much" }, times: 1, do: [limit] },
    { when: { prompt: "half done" }, times: 1, do: [{ tool: "touch x" }, limit] },
    { when: { prompt: "always" }, do: [limit] },
  ]);
  write("helper", []);
});

afterEach(async () => {
  for (const reprise of opened.splice(0)) await reprise.close();
  rmSync(folder, { recursive: true });
});

function write(agent: string, rules: object[]): void {
  writeFileSync(
    join(folder, `${agent}.json`),
    JSON.stringify({ account: `account-of-${agent}`, rules }),
  );
}

async function open(settings: Record<string, string> = {}) {
  const options = { home: join(folder, "home"), cwd: folder, settings, now: () => time };
  const { engine, reprise } = await openEngine(options);
  opened.push(reprise);
  if ((await reprise.agents.list()).length === 0)
    for (const name of ["coder", "second", "helper"]) {
      const script = name === "helper" ? "helper" : "coder";
      await reprise.agents.create({
        ...{ name, provider: "scripted" },
        settings: { script: join(folder, `${script}.json`), home: join(folder, name) },
      });
    }
  return { engine, reprise };
}

/** How often an agent's program was started with a prompt. */
const launches = (agent: string) =>
  existsSync(ledgerPath(join(folder, agent)))
    ? readLedger(ledgerPath(join(folder, agent))).filter(({ event }) => event === "start").length
    : 0;

function sending(reprise: Reprise, send: Partial<Send> & { prompt: string }, more: object = {}) {
  const progress: Progress[] = [];
  const onProgress = (step: Progress) => progress.push(step);
  const result = reprise.sessions.send(
    { key: "k", agent: "coder", ...send },
    { onProgress, ...more },
  );
  return { result, progress, waits: () => progress.some(({ type }) => type === "limited") };
}

const send = (reprise: Reprise, given: Partial<Send> & { prompt: string }) =>
  sending(reprise, given).result;

const verdictOf = async (reprise: Reprise, key: string) =>
  (await reprise.turns.why(key)).decision?.verdicts.find(({ guard }) => guard === "quota");

test("one quota failure refuses the turns of the account until its reset, and launches nothing", async () => {
  const { reprise } = await open();
  await send(reprise, { prompt: "remember PLUM-1" });
  const failed = await send(reprise, { prompt: "too much" });
  expect(failed).toMatchObject({ turn: { status: "failed" }, error: { code: "quota", resetAt } });
  const before = launches("coder");

  const refused = await send(reprise, { prompt: "what did I ask you to remember?" });
  expect(refused).toMatchObject({
    turn: { status: "refused" },
    decision: { outcome: "refuse", reason: "quota" },
    error: { code: "quota", resetAt, hint: expect.stringContaining('the option "now"') },
  });
  expect(refused.error?.message).toBe(
    `The limit of the account of agent coder (scripted) is used up until ${reset}, as turn ${failed.turn.id.slice(0, 8)} of agent coder found.`,
  );
  expect(await verdictOf(reprise, "k")).toMatchObject({
    passed: false,
    stored: `used up until ${reset} (turn ${failed.turn.id.slice(0, 8)}, coder)`,
    current: new Date(time).toISOString(),
  });
  // Another agent of the same account, and a turn that would begin blank.
  const others = { agent: "second", key: "k2", continuity: "blank" as const, prompt: "hello" };
  expect(await send(reprise, others)).toMatchObject({ decision: { reason: "quota" } });
  expect((await reprise.sessions.explain({ key: "k" })).decision.reason).toBe("quota");
  expect([launches("coder"), launches("second")]).toEqual([before, 0]);
  expect(await reprise.limits()).toEqual([
    {
      ...{ provider: "scripted", agent: "coder", turn: failed.turn.id },
      ...{ until: resetAt, foundAt: time, waiting: 0 },
    },
  ]);
  const { ok, findings } = await reprise.doctor();
  expect(ok).toBe(true);
  expect(findings.filter(({ subject }) => subject === "account of agent coder")).toHaveLength(1);
  // Other accounts are not concerned.
  expect(await send(reprise, { key: "k3", agent: "helper", prompt: "echo hi" })).toMatchObject({
    turn: { status: "done" },
  });

  time = resetAt;
  expect(await send(reprise, { prompt: "what did I ask you to remember?" })).toMatchObject({
    output: "PLUM-1",
    decision: { outcome: "resume" },
  });
  expect(await reprise.limits()).toEqual([]);
});

test("with now a turn is tried anyway, and its success ends the limit", async () => {
  const { reprise } = await open();
  await send(reprise, { prompt: "too much" });
  expect(await send(reprise, { prompt: "always", now: true })).toMatchObject({
    turn: { status: "failed" },
    error: { code: "quota" },
    notices: [{ code: "quota-tried" }],
  });
  // Not even a rule that would wait or switch sends it a second time.
  await reprise.sessions.set({ key: "k", settings: { onQuota: "wait" } });
  expect((await send(reprise, { prompt: "always", now: true })).attempts).toHaveLength(1);
  const tried = await send(reprise, { prompt: "remember PLUM-1", now: true });
  expect(tried.turn.status).toBe("done");
  expect(await verdictOf(reprise, "k")).toMatchObject({ passed: true, current: /anyway/ });
  expect(await reprise.limits()).toEqual([]);
  expect(await send(reprise, { prompt: "echo hi" })).toMatchObject({ turn: { status: "done" } });
});

test("an unknown account, and a reset that is not named or has passed, stop nothing", async () => {
  write("coder", [
    { when: { prompt: "past" }, do: [{ fail: { kind: "quota", resetAt: time } }] },
    { when: { prompt: "open" }, do: [{ fail: { kind: "quota" } }] },
  ]);
  const { reprise } = await open();
  for (const prompt of ["past", "open"])
    expect(await send(reprise, { prompt })).toMatchObject({ error: { code: "quota" } });
  writeFileSync(
    join(folder, "coder.json"),
    JSON.stringify({
      rules: [{ when: { prompt: "always" }, do: [{ fail: { kind: "quota", resetAt } }] }],
    }),
  );
  expect(await send(reprise, { prompt: "always" })).toMatchObject({ error: { resetAt } });
  expect(await send(reprise, { prompt: "echo hi" })).toMatchObject({ turn: { status: "done" } });
  expect(await verdictOf(reprise, "k")).toMatchObject({ passed: true, stored: "unknown" });
});

test("onQuota: wait sends the prompt again after the reset, if nothing of it was done", async () => {
  const { reprise } = await open({ onQuota: "wait" });
  await send(reprise, { prompt: "remember PLUM-1" });
  const first = sending(reprise, { prompt: "too much\nwhat did I ask you to remember?" });
  await until(first.waits);
  expect(first.progress.find(({ type }) => type === "limited")).toEqual({
    ...{ type: "limited", limit: "quota", until: resetAt },
  });
  const second = sending(reprise, { key: "k2", prompt: "echo hi" });
  await until(second.waits);
  await until(async () => (await reprise.limits())[0]?.waiting === 2);
  const before = launches("coder");
  time = resetAt;
  expect(await first.result).toMatchObject({
    turn: { status: "done" },
    output: "PLUM-1",
    attempts: [{ ending: "transient" }, { ending: "confirmed" }],
    decision: { outcome: "resume" },
  });
  expect(await second.result).toMatchObject({ turn: { status: "done" }, attempts: [{}] });
  expect(launches("coder")).toBe(before + 2);
});

test("onQuota: wait does not send a prompt again of which something was done, or that failed twice", async () => {
  const { reprise } = await open({ onQuota: "wait" });
  expect(await send(reprise, { prompt: "half done" })).toMatchObject({
    turn: { status: "failed" },
    attempts: [{ tools: true }],
  });
  time = resetAt;
  write("coder", [
    { when: { prompt: "always" }, do: [{ fail: { kind: "quota", resetAt: resetAt + 1000 } }] },
  ]);
  const twice = sending(reprise, { prompt: "always" });
  await until(twice.waits);
  time = resetAt + 1000;
  expect(await twice.result).toMatchObject({ turn: { status: "failed" }, attempts: [{}, {}] });
});

test("a reset beyond quotaWait is not waited for; the node's, session's and agent's settings win in this order", async () => {
  const { reprise } = await open({ onQuota: "wait", quotaWait: "30m" });
  expect(await send(reprise, { prompt: "too much" })).toMatchObject({
    turn: { status: "failed" },
    attempts: [{}],
  });
  const refused = await send(reprise, { prompt: "echo hi" });
  expect(refused.error?.message).toMatch(/further away than quotaWait \(30m\)\.$/);
  await reprise.agents.set({ name: "coder", settings: { quotaWait: "2h" } });
  const look = async () => (await reprise.sessions.explain({ key: "k" })).decision;
  expect(await look()).toMatchObject({ quota: { action: "wait", until: resetAt } });
  await reprise.sessions.set({ key: "k", settings: { onQuota: "fail" } });
  expect(await look()).toMatchObject({ outcome: "refuse" });
});

test("a turn that waits can be cancelled, and is continued by another process when it is left", async () => {
  const { reprise } = await open({ onQuota: "wait" });
  const first = sending(reprise, { prompt: "too much" });
  await until(first.waits);
  await until(async () => (await reprise.limits())[0]?.waiting === 1);
  const cancelled = await reprise.turns.cancel("k", { by: "ann" });
  expect(cancelled).toMatchObject({
    turn: { status: "cancelled" },
    error: {
      by: "ann",
      message: expect.stringMatching(
        /^ann cancelled turn .* while it waited for the reset of a limit/,
      ),
    },
  });
  expect(await first.result).toMatchObject({ turn: { status: "cancelled" } });

  const leave = new AbortController();
  const second = sending(reprise, { prompt: "echo hi" }, { leave: leave.signal });
  await until(second.waits);
  leave.abort();
  expect(await second.result).toMatchObject({ turn: { status: "queued" } });
  expect((await reprise.limits())[0]?.waiting).toBe(1);
  const other = await open({ onQuota: "wait" });
  const third = sending(other.reprise, { prompt: "echo again" });
  await until(() => third.progress.length > 0);
  time = resetAt;
  expect(await third.result).toMatchObject({ turn: { status: "done" }, output: "again" });
  const { recent } = await other.reprise.sessions.show("k");
  expect(recent.map(({ status }) => status)).toEqual(["done", "done", "cancelled"]);
});

test("a success of the account ends the wait of its other turns", async () => {
  const { reprise } = await open({ onQuota: "wait" });
  const waiting = sending(reprise, { prompt: "too much" });
  await until(waiting.waits);
  expect(await send(reprise, { key: "k2", prompt: "echo hi", now: true })).toMatchObject({
    turn: { status: "done" },
  });
  expect(await waiting.result).toMatchObject({ turn: { status: "done" } });
});

test("onQuota: switch gives the turn to quotaAgent with our transcript, once, with no more access", async () => {
  const { engine, reprise } = await open({ onQuota: "switch", quotaAgent: "helper" });
  await reprise.agents.set({ name: "helper", access: "full" });
  await send(reprise, { prompt: "remember PLUM-1" });
  const prompt = "too much\nwhat did I ask you to remember?";
  const switched = await send(reprise, { prompt, model: "m1" });
  expect(switched).toMatchObject({
    turn: { status: "done" },
    session: { agent: "helper" },
    output: "PLUM-1",
    access: "edit",
    attempts: [{ ending: "transient" }, { ending: "confirmed" }],
    decision: { outcome: "reseed" },
  });
  expect(switched.notices).toContainEqual({
    code: "quota-switch",
    text: `helper (scripted) takes over from coder, whose account's limit is used up until ${reset}.`,
  });
  expect((await engine.store.readTurn(switched.turn.id))?.request.model).toBeNull();
  // What follows goes there at once: nothing of the first agent is started.
  const before = launches("coder");
  const next = await send(reprise, { key: "k2", prompt: "echo hi" });
  expect(next).toMatchObject({ session: { agent: "helper" }, attempts: [{}], output: "hi" });
  expect(launches("coder")).toBe(before);

  write("helper", [
    { when: { prompt: "echo hi" }, do: [{ fail: { kind: "quota", message: "No.", resetAt } }] },
  ]);
  await reprise.agents.set({ name: "helper", settings: { quotaAgent: "coder" } });
  expect(await send(reprise, { key: "k3", prompt: "echo hi" })).toMatchObject({
    turn: { status: "failed" },
    session: { agent: "helper" },
    attempts: [{}],
  });
  const refused = await send(reprise, { key: "k4", prompt: "echo hi" });
  expect(refused).toMatchObject({ turn: { status: "refused" }, session: { agent: "helper" } });
  expect(refused.error?.message).toMatch(/the turn came from agent coder for the same reason\.$/);
});

test("onQuota: switch without an agent to switch to fails, and says so", async () => {
  const { reprise } = await open({ onQuota: "switch" });
  await send(reprise, { prompt: "too much" });
  const refused = await send(reprise, { prompt: "echo hi" });
  expect(refused.error?.message).toMatch(/quotaAgent names no agent\.$/);
  await reprise.sessions.set({ key: "k", settings: { quotaAgent: "gone" } });
  expect(await send(reprise, { prompt: "echo hi" })).toMatchObject({
    turn: { status: "failed" },
    error: { code: "no-quota-agent" },
  });
});

test("a node of a run waits, and the run says until when", async () => {
  const { reprise } = await open();
  const settings = `script: ${join(folder, "coder.json")}, home: ${join(folder, "coder")}, onQuota: wait`;
  const source = `name: w\nsteps:\n  a: { agent: scripted, prompt: too much, settings: { ${settings} } }`;
  const running = reprise.runs.start({ source, folder, id: "r" });
  const warnings = async () =>
    (await reprise.runs.show("r").catch(() => null))?.executions.flatMap((each) => each.warnings) ??
    [];
  await until(async () => (await warnings()).some((text) => text.includes("reset of the limit")));
  expect(await warnings()).toContainEqual(
    expect.stringMatching(new RegExp(`^Waiting for the reset of the limit of .* at ${reset} `)),
  );
  time = resetAt;
  expect(await running).toMatchObject({ status: "done" });
});
