/** One run and several processes: one drives it, others answer, cancel, and take it over. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Reprise } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { identify } from "@reprise/providers/launch/process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { appears, until } from "../until.ts";
import type { RunCall, RunOrder } from "./caller.ts";

let folder: string;
let reprise: Reprise;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = temporaryFolder("runs");
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await reprise.close();
  rmSync(folder, { recursive: true });
});

interface Call {
  /** What the call came to. */
  readonly result: Promise<Record<string, unknown>>;
  kill(): Promise<void>;
}

function call(name: RunCall, input?: unknown): Call {
  const order: RunOrder = { home: join(folder, "home"), folder, call: name, input };
  const program = join(import.meta.dirname, "caller.ts");
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const gone = once(child, "exit");
  return {
    result: text(child.stdout).then((printed) => JSON.parse(printed || "null")),
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

async function written(name: string): Promise<string> {
  const path = join(folder, name);
  return until(() => existsSync(path) && readFileSync(path, "utf8").trim(), `${name} is written`);
}

function release(name: string): void {
  writeFileSync(join(folder, name), "");
}

async function happens(run: string, type: string): Promise<void> {
  await until(async () => (await reprise.runs.list()).some(({ id }) => id === run));
  for await (const event of reprise.runs.events(run)) if (event.type === type) return;
  throw new Error(`run ${run} ended without ${type}`);
}

const long = `
name: long
outputs: { text: after.output }
steps:
  work: { shell: "echo $$ >> starts; until test -e go; do sleep 0.01; done; echo went" }
  after: { inputs: { text: work.output }, shell: "echo after {{ inputs.text }}" }
`;

test("the work of a killed owner continues, and a recovering process takes its result", async () => {
  const owner = call("runs.start", { source: long, id: "r1" });
  await written("starts");
  await owner.kill();
  expect(await reprise.runs.show("r1")).toMatchObject({ status: "running", stalled: true });
  const recovered = reprise.runs.recover();
  release("go");
  expect(await recovered).toMatchObject([{ id: "r1", status: "done", stalled: false }]);
  expect((await reprise.runs.show("r1")).outputs).toEqual({ text: "after went" });
  expect((await written("starts")).split("\n")).toHaveLength(1);
});

test("of two processes that would drive a run, one does", async () => {
  const owner = call("runs.start", { source: long, id: "r1" });
  await written("starts");
  expect(await reprise.runs.continue("r1")).toMatchObject({ status: "running", stalled: false });
  expect(await reprise.runs.recover()).toEqual([]);
  release("go");
  expect(await owner.result).toMatchObject({ status: "done", outputs: { text: "after went" } });
});

test("of many processes that recover a run at once, one drives it", async () => {
  const owner = call("runs.start", { source: long, id: "r1" });
  await written("starts");
  await owner.kill();
  const others = [call("runs.recover"), call("runs.recover"), call("runs.recover")];
  release("go");
  await Promise.all(others.map(({ result }) => result));
  await until(async () => (await reprise.runs.show("r1")).status !== "running");
  const types: string[] = [];
  for await (const { type } of reprise.runs.events("r1")) types.push(type);
  expect(types.filter((type) => type === "run.ended")).toHaveLength(1);
  expect((await written("starts")).split("\n")).toHaveLength(1);
});

const branches = `
name: branches
outputs: { text: approved.output, other: work.output }
steps:
  work: { shell: "echo $$ > starts; until test -e go; do sleep 0.01; done; echo went" }
  approve: { gate: Continue? }
  approved: { needs: approve, shell: touch approved; echo yes > approved; echo yes }
`;

test("an answer from another process reaches the owner that is busy with another branch", async () => {
  const owner = call("runs.start", { source: branches, id: "r1" });
  await happens("r1", "gate.opened");
  const [item] = await reprise.inbox.list();
  const answered = await reprise.inbox.answer({
    item: item!.id,
    choice: item!.choices[0]!,
    by: "ann",
  });
  expect(answered).toMatchObject({ given: true, run: { status: "running", stalled: false } });
  // While the other branch is still at work.
  expect(await written("approved")).toBe("yes");
  release("go");
  expect(await owner.result).toMatchObject({
    status: "done",
    outputs: { text: "yes", other: "went" },
  });
});

test("a cancel from another process ends the owner's tasks", async () => {
  const owner = call("runs.start", { source: long, id: "r1" });
  const pid = Number(await written("starts"));
  expect(await reprise.runs.cancel({ run: "r1" })).toMatchObject({ status: "cancelled" });
  expect(await owner.result).toMatchObject({ status: "cancelled" });
  expect(identify(pid)).toBeNull();
});

test("cancelling a run of a dead process ends what that process left running", async () => {
  const owner = call("runs.start", { source: long, id: "r1" });
  const pid = Number(await written("starts"));
  await owner.kill();
  expect(identify(pid)).not.toBeNull();
  expect(await reprise.runs.cancel({ run: "r1" })).toMatchObject({ status: "cancelled" });
  expect(identify(pid)).toBeNull();
});

test("of two answers at once one is taken", async () => {
  const { waitsFor } = await reprise.runs.start({
    source: 'name: g\noutputs: { choice: ask.choice }\nsteps: { ask: { gate: "Which?" } }',
    id: "r1",
  });
  const [item] = await reprise.inbox.list();
  const answers = (item?.choices ?? []).map((choice) =>
    call("inbox.answer", { item: waitsFor[0], choice, by: `for ${choice}` }),
  );
  const results = await Promise.all(answers.map(({ result }) => result));
  const [taken] = results.filter((result) => result?.given === true);
  const [refused] = results.filter((result) => result?.code === "answered");
  expect(taken).toMatchObject({ given: true });
  expect(refused).toMatchObject({ code: "answered" });
  await reprise.runs.continue("r1");
  const { resolution } = taken!.item as { resolution: { choice: string } };
  const status = resolution.choice === "approve" ? "done" : "rejected";
  expect(await reprise.runs.show("r1")).toMatchObject({ status });
});

const agents = `
name: agents
outputs: { text: second.output }
steps:
  first:
    agent: scripted
    session: one
    settings: { script: script.json, home: agent }
    prompt: hold on
  second:
    needs: first
    agent: scripted
    session: one
    settings: { script: script.json, home: agent }
    prompt: how many turns?
`;

test("an agent keeps running when the run's owner is killed, and is asked once", async () => {
  const rules = [
    { when: { prompt: "hold on" }, do: ["session", { touch: "reached" }, { "wait-for": "go" }] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  const owner = call("runs.start", { source: agents, id: "a1" });
  await appears(join(folder, "reached"));
  await owner.kill();
  const recovered = reprise.runs.recover();
  release("go");
  expect(await recovered).toMatchObject([{ id: "a1", status: "done" }]);
  const run = await reprise.runs.show("a1");
  expect(run.outputs).toEqual({ text: "This is turn 2." });
  expect(run.executions[0]).toMatchObject({ id: "first", attempt: 1, outcome: "blank" });
  const ledger = readFileSync(join(folder, "agent", "ledger.jsonl"), "utf8");
  const models = ledger.split("\n").filter((line) => line.includes('"event":"model"'));
  expect(models).toHaveLength(2);
});

test("a question is answered in another process while the owner is busy with another branch", async () => {
  const rules = [{ when: { prompt: "hold on" }, times: 1, do: [{ ask: "Which database?" }] }];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  const source = `${agents}  work: { shell: "until test -e go; do sleep 0.01; done" }\n`;
  const owner = call("runs.start", { source, id: "a1" });
  await happens("a1", "node.waiting");
  const [item] = await reprise.inbox.list();
  const answered = await reprise.inbox.answer({ item: item!.id, text: "SQLite", by: "ann" });
  expect(answered).toMatchObject({ given: true, run: { status: "running", stalled: false } });
  for await (const { type, data } of reprise.runs.events("a1"))
    if (type === "node.done" && (data as { execution: string }).execution === "second") break;
  release("go");
  expect(await owner.result).toMatchObject({ status: "done" });
});
