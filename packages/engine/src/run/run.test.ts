/** Runs in one process: driven to their end, to a gate, after an answer, cancelled, and rerun. */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventView, Reprise, RunDetail } from "@reprise/core/api/reprise";
import { identify } from "@reprise/providers/launch/process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStoreOf } from "../../../../test/store-of.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { until } from "../../../../test/until.ts";
import { openReprise } from "../open-reprise.ts";

let folder: string;
let reprise: Reprise;
let now: (() => number) | undefined;

beforeEach(async () => {
  folder = temporaryFolder("run");
  now = undefined;
  reprise = await open();
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

function open(): Promise<Reprise> {
  return openReprise({ home: join(folder, "home"), cwd: folder, now: () => (now ?? Date.now)() });
}

function statuses({ executions }: RunDetail): Record<string, string> {
  return Object.fromEntries(executions.map(({ id, status }) => [id, status]));
}

async function events(run: string): Promise<EventView[]> {
  const seen: EventView[] = [];
  for await (const event of reprise.runs.events(run, { follow: false })) seen.push(event);
  return seen;
}

async function appears(run: string): Promise<void> {
  await until(async () => (await reprise.runs.list()).some(({ id }) => id === run));
}

/** Waits until something is written about the run that fits. */
async function happens(run: string, fits: (event: EventView) => boolean): Promise<void> {
  for await (const event of reprise.runs.events(run)) if (fits(event)) return;
  throw new Error(`run ${run} ended without it`);
}

const doubled = `
name: doubled
inputs: { number: number }
outputs: { result: again.value }
steps:
  once:
    inputs: { number: inputs.number }
    function: "return { value: inputs.number * 2 };"
    returns: { value: number }
  again:
    inputs: { number: once.value }
    function: "return { value: inputs.number * 2 };"
    returns: { value: number }
`;

test("a run goes to its end, step by step, and its text is kept", async () => {
  const started: string[] = [];
  const run = await reprise.runs.start(
    { source: doubled, inputs: { number: "21" }, id: "order-1", path: "doubled.yaml" },
    { onStarted: (id) => started.push(id) },
  );
  expect(run).toMatchObject({
    id: "order-1",
    workflow: "doubled",
    path: "doubled.yaml",
    status: "done",
    stalled: false,
    outputs: { result: 84 },
    inputs: { number: 21 },
    folder,
    source: doubled,
    waitsFor: [],
  });
  expect(started).toEqual(["order-1"]);
  expect(await reprise.runs.show("order")).toEqual(run);
  expect(await reprise.runs.list()).toMatchObject([{ id: "order-1", status: "done" }]);
  const types = (await events("order-1")).map(({ type }) => type);
  expect(types[0]).toBe("run.started");
  expect(types.at(-1)).toBe("run.ended");
  expect(types.filter((type) => type === "node.started")).toHaveLength(2);
});

test.each([
  ["no YAML", { source: "name: [" }, "bad-workflow"],
  ["an unknown kind of step", { source: "name: x\nsteps: { a: { shel: ls } }" }, "bad-workflow"],
  ["a missing input", { source: doubled }, "missing-input"],
  ["an unknown input", { source: doubled, inputs: { number: 1, nmber: 2 } }, "unknown-input"],
  ["no folder", { source: doubled, inputs: { number: 1 }, folder: "nowhere" }, "folder-missing"],
  ["a bad id", { source: doubled, inputs: { number: 1 }, id: "a b" }, "bad-input"],
])("%s starts nothing", async (_, start, code) => {
  await expect(reprise.runs.start(start)).rejects.toMatchObject({ code, exitCode: 2 });
  expect(await reprise.runs.list()).toEqual([]);
});

test("a workflow that cannot be read says where, and has all findings", async () => {
  const source =
    "name: x\nsteps:\n  build:\n    shell: make\n    needs: biuld2\n  test:\n    shel: ls\n";
  await expect(reprise.runs.start({ source, path: "flow.yaml" })).rejects.toMatchObject({
    code: "bad-workflow",
    message: expect.stringMatching(/^flow\.yaml:\d+:\d+: /),
    findings: expect.arrayContaining([expect.objectContaining({ severity: "error" })]),
  });
});

test("an id is used once, and an unknown run is not found", async () => {
  await reprise.runs.start({ source: doubled, inputs: { number: 1 }, id: "once" });
  const again = reprise.runs.start({ source: doubled, inputs: { number: 1 }, id: "once" });
  await expect(again).rejects.toMatchObject({ code: "run-exists" });
  await expect(reprise.runs.show("unknown")).rejects.toMatchObject({ code: "no-run", exitCode: 4 });
  await expect(reprise.runs.cancel({ run: "unknown" })).rejects.toMatchObject({ code: "no-run" });
  await expect(reprise.runs.rerun({ run: "unknown" })).rejects.toMatchObject({ code: "no-run" });
});

const approval = `
name: release
outputs: { text: publish.output }
steps:
  build: { shell: echo built >> log; echo built }
  approve:
    needs: build
    gate: { title: Release it?, answerers: [ann, bob], choices: [approve, reject] }
  publish:
    needs: approve
    shell: echo published >> log; echo published
`;

test("a gate releases the run; the answer continues it", async () => {
  const parked = await reprise.runs.start({ source: approval, id: "r1" });
  expect(parked).toMatchObject({ status: "waiting", stalled: false });
  const [item] = await reprise.inbox.list();
  expect(item).toMatchObject({ kind: "approval", title: "Release it?", run: "r1" });
  expect(parked.waitsFor).toEqual([item?.id]);
  await reprise.close();

  reprise = await open();
  const answered = await reprise.inbox.answer({ item: item!.id, choice: "approve", by: "ann" });
  expect(answered).toMatchObject({
    given: true,
    item: { resolution: { how: "answered", choice: "approve", by: "ann" } },
    run: { status: "done" },
  });
  expect((await reprise.runs.show("r1")).outputs).toEqual({ text: "published" });
  expect(await reprise.inbox.list()).toEqual([]);
  expect(await reprise.inbox.list({ all: true })).toHaveLength(1);
  expect(readFileSync(join(folder, "log"), "utf8")).toBe("built\npublished\n");
});

test("an item is answered once: the same again changes nothing, another one is refused", async () => {
  await reprise.runs.start({ source: approval, id: "r1" });
  const [{ id: item } = { id: "" }] = await reprise.inbox.list();
  await expect(reprise.inbox.answer({ item, choice: "approve", by: "eve" })).rejects.toMatchObject({
    code: "not-allowed",
    exitCode: 5,
  });
  await expect(reprise.inbox.answer({ item, choice: "aprove", by: "ann" })).rejects.toMatchObject({
    code: "unknown-choice",
    exitCode: 2,
    hint: 'Did you mean "approve"?',
  });
  await expect(reprise.inbox.answer({ item, by: "ann" })).rejects.toMatchObject({
    code: "no-choice",
  });
  const before = await events("r1");
  expect(before.at(-1)?.type).toBe("gate.opened");

  await reprise.inbox.answer({ item, choice: "approve", by: "ann", comment: "fine" });
  const after = await events("r1");
  const again = await reprise.inbox.answer({ item, choice: "approve", by: "bob" });
  expect(again).toMatchObject({ given: false, item: { resolution: { by: "ann" } } });
  await expect(reprise.inbox.answer({ item, choice: "reject", by: "bob" })).rejects.toMatchObject({
    code: "answered",
    exitCode: 1,
    message: expect.stringContaining("approve by ann"),
  });
  expect(await events("r1")).toEqual(after);
  await expect(
    reprise.inbox.answer({ item: "nothing", choice: "approve", by: "ann" }),
  ).rejects.toMatchObject({ code: "no-item", exitCode: 4 });
});

test("an answer with `continue: false` leaves the run to its next owner", async () => {
  await reprise.runs.start({ source: approval, id: "r1" });
  const [{ id: item } = { id: "" }] = await reprise.inbox.list();
  const answered = await reprise.inbox.answer(
    { item, choice: "approve", by: "ann" },
    { continue: false },
  );
  expect(answered.run).toMatchObject({ status: "running", stalled: true });
  expect(await reprise.runs.recover()).toMatchObject([{ id: "r1", status: "done" }]);
  expect(await reprise.runs.recover()).toEqual([]);
});

const form = `
name: asked
outputs: { budget: ask.budget, by: ask.by }
steps:
  ask:
    gate:
      kind: form
      title: How much?
      deadline: 1h
      onDeadline: fail
      fields:
        - { name: budget, type: number, required: true }
        - { name: region, type: choice, choices: [north, south], default: north }
`;

test("a form's values are checked, and are the gate's outputs", async () => {
  const { waitsFor } = await reprise.runs.start({ source: form });
  const item = waitsFor[0] ?? "";
  await expect(reprise.inbox.answer({ item, by: "ann", values: {} })).rejects.toMatchObject({
    code: "missing-field",
  });
  const values = { budget: "12" };
  const answered = await reprise.inbox.answer({ item, by: "ann", values });
  expect(answered.item.resolution?.values).toEqual({ budget: 12, region: "north" });
  const run = await reprise.runs.show(answered.run?.id ?? "");
  expect(run).toMatchObject({ status: "done", outputs: { budget: 12, by: "ann" } });
  expect(await reprise.inbox.answer({ item, by: "ann", values })).toMatchObject({ given: false });
});

test("a deadline that has passed is settled when a home is opened", async () => {
  const { waitsFor, id } = await reprise.runs.start({ source: form });
  const item = waitsFor[0] ?? "";
  now = () => Date.now() + 3_600_001;
  await expect(
    reprise.inbox.answer({ item, by: "ann", values: { budget: 1 } }),
  ).rejects.toMatchObject({ code: "expired", exitCode: 1 });
  expect(await reprise.runs.show(id)).toMatchObject({ status: "running", stalled: true });

  now = undefined;
  const second = await reprise.runs.start({ source: form });
  await reprise.close();
  now = () => Date.now() + 3_600_001;
  reprise = await open();
  expect(await reprise.runs.show(second.id)).toMatchObject({ status: "running", stalled: true });
  expect(await reprise.inbox.list()).toEqual([]);
  expect(await reprise.runs.continue(second.id)).toMatchObject({ status: "failed" });
});

test("both branches run at once, and one failure ends the run when the other has ended", async () => {
  const source = `
name: branches
steps:
  left: { shell: touch left; until test -e right; do sleep 0.01; done }
  right: { shell: touch right; until test -e left; do sleep 0.01; done }
  broken: { needs: [left, right], shell: exit 3 }
  never: { needs: broken, shell: touch never }
`;
  const run = await reprise.runs.start({ source });
  expect(run).toMatchObject({ status: "failed", error: { code: "exit-code" } });
  expect(statuses(run)).toMatchObject({ left: "done", right: "done", broken: "failed" });
  expect(existsSync(join(folder, "never"))).toBe(false);
});

test("a retry gate repeats its target until its check passes", async () => {
  const source = `
name: retried
outputs: { count: gate.retry_count, built: build.output }
steps:
  build: { shell: echo x >> tries; wc -l < tries | tr -d " " }
  check:
    inputs: { tries: build.output }
    function: "return { ok: Number(inputs.tries) >= 3, feedback: 'tried ' + inputs.tries };"
    returns: { ok: boolean, feedback: string }
  gate: { retry-gate: { target: build, checks: check.ok, feedback: check.feedback, max: 5 } }
`;
  const run = await reprise.runs.start({ source });
  expect(run).toMatchObject({ status: "done", outputs: { count: 2, built: "3" } });
  expect(run.executions.filter(({ node }) => node === "build").map(({ id }) => id)).toEqual([
    "build",
    "build~1",
    "build~2",
  ]);
});

test("a loop goes round until its condition holds", async () => {
  const source = `
name: counting
outputs: { total: count.total, rounds: count.iterations }
steps:
  count:
    loop:
      until: add.enough
      max: 5
      outputs: { total: add.total }
      steps:
        step: { shell: echo x >> count; wc -l < count | tr -d " " }
        add:
          inputs: { lines: step.output }
          function: "return { enough: Number(inputs.lines) >= 3, total: Number(inputs.lines) };"
          returns: { enough: boolean, total: number }
`;
  const run = await reprise.runs.start({ source });
  expect(run).toMatchObject({ status: "done", outputs: { total: 3, rounds: 3 } });
  expect(run.executions.find(({ id }) => id === "count/2/add")).toMatchObject({ iterations: [2] });
});

test("a failed node is tried again as often as it says", async () => {
  const source = `
name: stubborn
outputs: { text: flaky.output }
steps:
  flaky:
    retry: { max: 2, backoff: 1ms }
    shell: echo x >> tries; test "$(wc -l < tries)" -ge 3 && echo done
`;
  const run = await reprise.runs.start({ source });
  expect(run).toMatchObject({ status: "done", outputs: { text: "done" } });
  expect(run.executions.find(({ id }) => id === "flaky")).toMatchObject({ attempt: 3 });
});

test("cancelling ends the processes and leaves nothing open", async () => {
  const source = `
name: long
steps:
  work: { shell: "echo $$ > pid; exec sleep 600" }
  approve: { gate: Continue? }
  after: { needs: [work, approve], shell: touch after }
`;
  const started = Promise.withResolvers<string>();
  const running = reprise.runs.start({ source, id: "long" }, { onStarted: started.resolve });
  await happens(await started.promise, ({ type }) => type === "gate.opened");
  while (!existsSync(join(folder, "pid"))) await new Promise(setImmediate);
  expect(await reprise.runs.cancel({ run: "long", by: "ann" })).toMatchObject({
    status: "cancelled",
  });
  const run = await running;
  expect(run.status).toBe("cancelled");
  expect(statuses(run)).toMatchObject({ work: "cancelled", approve: "cancelled" });
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
  expect(identify(pid)).toBeNull();
  expect(await reprise.inbox.list()).toEqual([]);
  expect(await reprise.runs.cancel({ run: "long" })).toMatchObject({ status: "cancelled" });
});

test("the first abort of the signal cancels", async () => {
  const abort = new AbortController();
  const run = await reprise.runs.start(
    { source: "name: long\nsteps: { work: { shell: exec sleep 600 } }" },
    { signal: abort.signal, onStarted: () => abort.abort() },
  );
  expect(run.status).toBe("cancelled");
});

test("a waiting run can be cancelled by any process", async () => {
  await reprise.runs.start({ source: approval, id: "r1" });
  expect(await reprise.runs.cancel({ run: "r1" })).toMatchObject({ status: "cancelled" });
  const [item] = await reprise.inbox.list({ all: true });
  expect(item?.resolution).toMatchObject({ how: "cancelled" });
  await expect(
    reprise.inbox.answer({ item: item!.id, choice: "approve", by: "ann" }),
  ).rejects.toMatchObject({ code: "cancelled", exitCode: 1 });
});

test("closing releases the run, and the next owner takes its result", async () => {
  const source = `
name: handed-over
outputs: { text: work.output }
steps:
  work: { shell: "echo x >> starts; touch began; until test -e go; do sleep 0.01; done; echo went" }
`;
  const running = reprise.runs.start({ source, id: "h1" });
  while (!existsSync(join(folder, "began"))) await new Promise(setImmediate);
  await reprise.close();
  expect(await running.catch((error) => error)).toMatchObject({ status: "running", stalled: true });
  writeFileSync(join(folder, "go"), "");
  reprise = await open();
  expect(await reprise.runs.continue("h1")).toMatchObject({
    status: "done",
    outputs: { text: "went" },
  });
  expect(readFileSync(join(folder, "starts"), "utf8")).toBe("x\n");
});

const counted = `
name: counted
outputs: { text: last.output }
steps:
  first: { shell: echo first >> log }
  second: { needs: first, shell: echo second >> log; test -e fixed }
  last: { needs: second, shell: echo last >> log; echo end }
`;

test("a rerun repeats what failed, or from a node, or everything", async () => {
  const log = () => readFileSync(join(folder, "log"), "utf8").trim().split("\n").join(" ");
  expect(await reprise.runs.start({ source: counted, id: "c1" })).toMatchObject({
    status: "failed",
  });
  writeFileSync(join(folder, "fixed"), "");
  expect(await reprise.runs.rerun({ run: "c1", by: "ann" })).toMatchObject({
    status: "done",
    error: null,
    outputs: { text: "end" },
  });
  expect(log()).toBe("first second second last");
  await expect(reprise.runs.rerun({ run: "c1" })).rejects.toMatchObject({ code: "nothing-failed" });
  expect(await reprise.runs.rerun({ run: "c1", from: "last" })).toMatchObject({ status: "done" });
  expect(log()).toBe("first second second last last");
  expect(await reprise.runs.rerun({ run: "c1", fromStart: true })).toMatchObject({
    status: "done",
  });
  expect(log()).toBe("first second second last last first second last");
  await expect(reprise.runs.rerun({ run: "c1", from: "lst" })).rejects.toMatchObject({
    code: "unknown-node",
    hint: 'Did you mean "last"?',
  });
});

test("a run that has not ended is not run again", async () => {
  await reprise.runs.start({ source: approval, id: "r1" });
  await expect(reprise.runs.rerun({ run: "r1", fromStart: true })).rejects.toMatchObject({
    code: "run-not-ended",
    exitCode: 1,
  });
});

test("a deadline that passes while another branch runs is settled by the run's owner", async () => {
  const source = `
name: busy
outputs: { choice: ask.choice, text: work.output }
steps:
  work: { shell: "until test -e go; do sleep 0.01; done; echo went" }
  ask: { gate: { title: Now?, choices: ["yes", "no"], deadline: 1h, onDeadline: "no" } }
`;
  const running = reprise.runs.start({ source, id: "busy" });
  await appears("busy");
  await happens("busy", ({ type }) => type === "gate.opened");
  now = () => Date.now() + 3_600_001;
  await happens("busy", ({ type }) => type === "gate.expired");
  writeFileSync(join(folder, "go"), "");
  expect(await running).toMatchObject({
    status: "rejected",
    outputs: { choice: "no", text: "went" },
  });
});

test("an owner whose run was taken over stops, and leaves its tasks running", async () => {
  const source = `
name: fenced
outputs: { text: work.output }
steps:
  work: { shell: "echo x >> starts; until test -e go; do sleep 0.01; done; echo went" }
`;
  const running = reprise.runs.start({ source, id: "f1" });
  while (!existsSync(join(folder, "starts"))) await new Promise(setImmediate);
  const other = await openStoreOf(join(folder, "home"));
  const { token, owner } = (await other.readRun("f1"))!;
  await other.takeRun({ run: "f1", token, owner: { ...owner!, pid: process.ppid } });
  expect(await running).toMatchObject({ status: "running" });
  await other.takeRun({ run: "f1", token: token + 1, owner: null });
  await other.close();
  writeFileSync(join(folder, "go"), "");
  expect(await reprise.runs.continue("f1")).toMatchObject({ outputs: { text: "went" } });
  expect(readFileSync(join(folder, "starts"), "utf8")).toBe("x\n");
});

test("a credential in a run's inputs is never written, so no later owner knows it", async () => {
  await reprise.close();
  const env = { ...process.env, SERVICE_TOKEN: "tok-1234567890" };
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder, env });
  const source = `
name: secret
inputs: { text: string }
outputs: { text: say.output }
steps:
  say: { inputs: { text: inputs.text }, shell: "echo {{ inputs.text }}" }
`;
  const run = await reprise.runs.start({ source, inputs: { text: "it is tok-1234567890" } });
  expect(run.outputs).toEqual({ text: "it is [redacted]" });
  expect(await reprise.runs.show(run.id)).toEqual(run);
});

test("what was read otherwise than it was given is said", async () => {
  const source = `
name: texts
steps:
  say: { function: 'return { ok: "true" };', returns: { ok: any } }
  which: { branch: say.ok }
  yes: { needs: which.true, shell: echo yes }
`;
  const { executions } = await reprise.runs.start({ source });
  expect(executions.find(({ id }) => id === "which")?.warnings).toEqual([
    expect.stringContaining('the text "true" was read as true'),
  ]);
  expect(executions.find(({ id }) => id === "yes")?.warnings).toEqual([]);
});
