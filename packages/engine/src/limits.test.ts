/** How much works at once on a host: two programs with one home share the limits. */

import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress, Reprise } from "@reprise/core/api/reprise";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { until } from "../../../test/until.ts";
import { openEngine } from "./open-reprise.ts";

let folder: string;
const opened: Reprise[] = [];

beforeEach(() => {
  folder = temporaryFolder("limits");
  const rules = [1, 2, 3].map((job) => ({
    when: { prompt: `job ${job}` },
    do: ["model", { "wait-for": join(folder, `go ${job}`) }, { say: `did ${job}` }],
  }));
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
});

afterEach(async () => {
  for (const job of [1, 2, 3]) release(job);
  for (const reprise of opened.splice(0)) await reprise.close();
  rmSync(folder, { recursive: true });
});

async function open(settings: Record<string, string>, within: string | null = null) {
  const options = { home: join(folder, "home"), cwd: folder, settings, within };
  const { engine, reprise } = await openEngine(options);
  opened.push(reprise);
  if ((await reprise.agents.list()).length === 0)
    await reprise.agents.create({
      name: "coder",
      provider: "scripted",
      settings: { script: join(folder, "script.json"), home: join(folder, "agent") },
    });
  return { engine, reprise };
}

const release = (job: number) => writeFileSync(join(folder, `go ${job}`), "");
const started = () =>
  existsSync(ledgerPath(join(folder, "agent")))
    ? readLedger(ledgerPath(join(folder, "agent"))).filter(({ event }) => event === "model").length
    : 0;

function send(reprise: Reprise, job: number, more: object = {}) {
  const progress: Progress["type"][] = [];
  const result = reprise.sessions.send(
    { key: `k${job}`, agent: "coder", prompt: `job ${job}` },
    { onProgress: ({ type }) => progress.push(type), ...more },
  );
  return { result, progress };
}

test("V18: a turn beyond maxAgents waits for a free agent, says so, and is served by any process", async () => {
  const [one, other] = [await open({ maxAgents: "1" }), await open({ maxAgents: "1" })];
  const first = send(one.reprise, 1);
  await until(() => started() === 1);
  const second = send(other.reprise, 2);
  await until(() => second.progress.includes("limited"));
  expect(second.progress).toEqual(["decided", "limited"]);
  expect(started()).toBe(1);
  release(1);
  expect(await first.result).toMatchObject({ output: "did 1" });
  release(2);
  expect(await second.result).toMatchObject({ output: "did 2" });
  expect(second.progress.slice(0, 3)).toEqual(["decided", "limited", "launched"]);
});

test("V18: a turn that waits for a free agent can be cancelled, and left to the next process", async () => {
  const { reprise } = await open({ maxAgents: "1" });
  const first = send(reprise, 1);
  await until(() => started() === 1);
  const second = send(reprise, 2);
  await until(() => second.progress.includes("limited"));
  const cancelled = await reprise.turns.cancel("k2", { by: "ann" });
  expect(cancelled).toMatchObject({ turn: { status: "cancelled" }, error: { by: "ann" } });
  expect(await second.result).toMatchObject({ turn: { status: "cancelled" } });

  const leave = new AbortController();
  const third = send(reprise, 3, { leave: leave.signal });
  await until(() => third.progress.includes("limited"));
  leave.abort();
  expect(await third.result).toMatchObject({ turn: { status: "queued" } });
  for (const job of [1, 3]) release(job);
  await first.result;
  await until(async () => (await reprise.sessions.show("k3")).recent[0]?.status === "done");
  expect(started()).toBe(2);
});

test("V18: a turn that is opened inside a turn does not wait", async () => {
  const outer = await open({ maxAgents: "1" });
  const first = send(outer.reprise, 1);
  await until(() => started() === 1);
  const inner = await open({ maxAgents: "1" }, "the outer turn");
  release(2);
  expect(await send(inner.reprise, 2).result).toMatchObject({ output: "did 2" });
  release(3);
  const through = outer.reprise.sessions.send({
    ...{ key: "k3", agent: "coder", prompt: "job 3", within: "the outer turn" },
  });
  expect(await through).toMatchObject({ output: "did 3" });
  release(1);
  await first.result;
});

test("V18: scripts beyond maxScripts wait, the run says so, and a place that a dead process left is freed", async () => {
  const { engine, reprise } = await open({ maxScripts: "1" });
  // The slot of a script whose process died long ago.
  await engine.store.takeSlot({ id: "shell-dead", host: engine.hosts.place, max: 1, at: 0 });
  const marks = join(folder, "marks");
  const step = (name: string) =>
    `  ${name}: { shell: "mkdir -p ${marks}; touch ${marks}/${name}; while [ ! -e '${folder}/go 1' ]; do sleep 0.05; done" }`;
  const source = ["name: w", "steps:", step("a"), step("b"), step("c")].join("\n");
  const running = reprise.runs.start({ source, folder, id: "r" });
  await until(() => existsSync(marks) && readdirSync(marks).length > 0);
  await until(async () => {
    const { executions } = await reprise.runs.show("r");
    return executions.filter(({ warnings }) => /maxScripts/.test(warnings.join(" "))).length === 2;
  });
  expect(readdirSync(marks)).toHaveLength(1);
  release(1);
  expect(await running).toMatchObject({ status: "done" });
  expect(readdirSync(marks)).toHaveLength(3);
  expect(await engine.store.listSlots(engine.hosts.place)).toEqual([]);
});
