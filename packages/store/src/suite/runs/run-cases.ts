/** Cases about runs: their stream, status and owner, and how they are listed. */

import type { Run } from "../../contract/runs.ts";
import type { Store } from "../../store.ts";
import { clock, type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { owner, someone } from "../samples.ts";
import { approval, creation, current, done, item, step, stream, waiting } from "./run-samples.ts";

const conflict = { name: "StoreError", code: "conflict" };
const failure = { code: "exit-code", message: "It failed.", hint: "Look at it." };

/** Everything that a refused write could have changed. */
async function everything(store: Store) {
  return {
    runs: await store.listRuns({ limit: 100 }),
    items: await store.listItems({ all: true, limit: 100 }),
    events: await store.readEvents({ after: 0, limit: 1000 }),
    sessions: await store.listSessions({ limit: 100 }),
  };
}

async function end(store: Store, run: Run, status: Run["status"] = "done"): Promise<void> {
  const error = status === "failed" ? failure : null;
  const events = [{ type: "run.ended", data: { status, outputs: {}, error } }];
  await store.advanceRun(step(run, { events, status, error, at: 5000 }));
}

export function runCases(open: Open): void {
  // `expect` is set when the suite is called.
  const fenced = {
    name: "FencedError",
    code: "fenced",
    message: expect.stringMatching(/^Run r1 /),
  };
  describe("a run", () => {
    test("begins with its first event, owned by the process that started it", async () => {
      const { store, reopen } = await use(open);
      const run = await store.createRun(creation("r1"));
      expect(run).toEqual({
        id: "r1",
        workflow: "review",
        path: "/flows/review.yaml",
        status: "running",
        owner: someone,
        token: 1,
        seq: 1,
        error: null,
        failures: 0,
        startedAt: 1000,
        updatedAt: 1000,
        endedAt: null,
      });
      const other = await reopen();
      expect(await other.readRun("r1")).toEqual(run);
      expect(await stream(other, "r1")).toMatchObject([
        { streamSeq: 1, type: "run.started", data: { workflow: "review", inputs: {} }, at: 1000 },
      ]);
      expect(await other.readRun("r2")).toBeNull();
    });

    test("is not begun twice under one id", async () => {
      const { store, reopen } = await use(open);
      await store.createRun(creation("r1"));
      const before = await everything(store);
      const again = creation("r1", { workflow: "other", owner: owner(2), at: 1001 });
      await expect((await reopen()).createRun(again)).rejects.toMatchObject({
        name: "TerminalError",
        code: "run-exists",
      });
      expect(await everything(store)).toEqual(before);
    });

    test("advances by what happened, in order, with its status and what is due", async () => {
      const { store } = await use(open);
      const run = await store.createRun(creation("r1"));
      expect(await store.advanceRun(step(run, { events: [done("a"), done("b")] }))).toBe(3);
      const timer = { id: "retry:r1:c", key: "run:r1", at: 4000, payload: { run: "r1" } };
      const waits = { events: [done("c")], status: "waiting", due: [timer], at: 2500 } as const;
      expect(await store.advanceRun(step({ ...run, seq: 3 }, waits))).toBe(4);
      expect(await store.readRun("r1")).toEqual({
        ...run,
        status: "waiting",
        seq: 4,
        updatedAt: 2500,
      });
      expect((await stream(store, "r1")).map(({ streamSeq, data }) => [streamSeq, data])).toEqual([
        [1, { workflow: "review", inputs: {} }],
        ...["a", "b", "c"].map((each, index) => [index + 2, done(each).data]),
      ]);
      clock.now = 4000;
      expect(await store.claimDue({ owner: "o", limit: 9 })).toMatchObject([timer]);
    });

    test("a step for a stream that has moved on writes nothing at all", async () => {
      const { store, reopen } = await use(open);
      const run = await store.createRun(creation("r1"));
      await (await reopen()).signalRun({
        run: "r1",
        event: { type: "run.cancelling", data: { by: "ann" } },
        status: null,
        ifStatus: ["running"],
        at: 1500,
      });
      const before = await everything(store);
      const opens = [item("i1", { deadline: 9000 })];
      const due = [{ id: "d", key: "k", at: 1, payload: null }];
      const stale = { events: [done("a")], status: "failed", error: failure, opens, due } as const;
      await expect(store.advanceRun(step(run, stale))).rejects.toMatchObject(conflict);
      await expect(
        store.advanceRun(step({ ...run, seq: 9 }, { events: [done("a")] })),
      ).rejects.toMatchObject(conflict);
      expect(await everything(store)).toEqual(before);
      clock.now = 1e9;
      expect(await store.claimDue({ owner: "o", limit: 9 })).toEqual([]);
      expect(
        await store.advanceRun(step(await current(store, "r1"), { events: [done("a")] })),
      ).toBe(3);
    });

    test("a run that could not be advanced often enough is stuck, until a person answers", async () => {
      const { store } = await use(open);
      const run = await store.createRun(creation("r1"));
      const { id, token } = run;
      const stuck = item("i1", { kind: "stuck", execution: null, choices: ["retry", "cancel"] });
      const fail = (failures: number) =>
        store.recordRunFailure({
          ...{ run: id, token, failures, error: failure, limit: 3, item: stuck, at: 2000 },
        });
      expect(await fail(1)).toMatchObject({ status: "running", failures: 1, error: failure });
      expect(await store.advanceRun(step(run, { events: [done("a")] }))).toBe(2);
      expect(await store.readRun(id)).toMatchObject({ failures: 0, error: null });
      for (const failures of [1, 2]) await fail(failures);
      expect(await store.listItems({ limit: 9 })).toEqual([]);
      expect(await fail(3)).toMatchObject({ status: "stuck", owner: null, failures: 3, seq: 3 });
      expect(await store.listItems({ limit: 9 })).toMatchObject([
        { id: "i1", kind: "stuck", execution: null, resolution: null },
      ]);
      expect(await store.listActiveRuns({ limit: 99 })).toEqual([]);
      await expect(fail(4)).rejects.toMatchObject({ name: "FencedError" });
      await expect(
        store.advanceRun(step({ ...run, seq: 3 }, { events: [done("b")] })),
      ).rejects.toMatchObject({ name: "FencedError" });

      await store.answerItem(approval("i1", { choice: "retry" }));
      expect(await store.readRun(id)).toMatchObject({
        status: "running",
        failures: 0,
        error: null,
      });
      expect((await stream(store, id)).map(({ type }) => type)).toEqual([
        ...["run.started", "node.done", "run.stuck", "run.retried"],
      ]);
    });

    test("an answer to another item leaves a stuck run stuck", async () => {
      const { store } = await use(open);
      const { id, token } = await waiting(store, "r1", item("i1"));
      const stuck = item("i2", { kind: "stuck", execution: null, choices: ["retry", "cancel"] });
      await store.recordRunFailure({
        ...{ run: id, token, failures: 1, error: failure, limit: 1, item: stuck, at: 2500 },
      });
      await store.answerItem(approval("i1"));
      expect(await store.readRun(id)).toMatchObject({ status: "stuck" });
      await store.answerItem(approval("i2", { choice: "cancel" }));
      expect(await store.readRun(id)).toMatchObject({ status: "cancelled", endedAt: 3000 });
      expect((await stream(store, id)).map(({ type }) => type).slice(-3)).toEqual([
        ...["gate.answered", "run.cancelling", "run.ended"],
      ]);
    });

    test("a step that cannot be written completely writes nothing", async () => {
      const { store } = await use(open);
      await waiting(store, "r1", item("i1"));
      const run = await store.createRun(creation("r2"));
      const before = await everything(store);
      const opens = [item("i2"), item("i1")];
      await expect(
        store.advanceRun(step(run, { events: [done("a")], status: "waiting", opens })),
      ).rejects.toThrow();
      expect(await everything(store)).toEqual(before);
    });

    test("a fenced owner writes nothing, and only the current token can take the run", async () => {
      const { store, reopen } = await use(open);
      const run = await store.createRun(creation("r1"));
      const other = await reopen();
      const take = { run: "r1", token: run.token, owner: owner(2) };
      expect(await other.takeRun(take)).toBe(2);
      expect(await other.takeRun({ ...take, owner: owner(3) })).toBeNull();
      expect(await store.takeRun({ ...take, run: "none" })).toBeNull();
      const before = await everything(store);
      expect(before.runs).toMatchObject([{ owner: owner(2), token: 2, seq: 1 }]);
      const stale = step(run, { events: [done("a")], opens: [item("i1")] });
      await expect(store.advanceRun(stale)).rejects.toMatchObject(fenced);
      await expect(store.advanceRun({ ...stale, token: 3 })).rejects.toMatchObject(fenced);
      expect(await everything(store)).toEqual(before);
      expect(await other.advanceRun({ ...stale, token: 2 })).toBe(2);
      expect(await other.takeRun({ run: "r1", token: 2, owner: null })).toBe(3);
      expect(await store.readRun("r1")).toMatchObject({ owner: null, token: 3 });
    });

    test("of many takeovers at once, one succeeds", async () => {
      const { store, reopen } = await use(open);
      const { token } = await waiting(store, "r1", item("i1"));
      const others = await Promise.all([1, 2, 3, 4].map(() => reopen()));
      const tokens = await Promise.all(
        others.map((other, index) => other.takeRun({ run: "r1", token, owner: owner(index + 2) })),
      );
      expect(tokens.filter((each) => each !== null)).toEqual([token + 1]);
      const winner = tokens.findIndex((each) => each !== null);
      expect(await store.readRun("r1")).toMatchObject({ owner: owner(winner + 2) });
    });

    test("that has ended has no owner", async () => {
      const { store } = await use(open);
      const run = await store.createRun(creation("r1"));
      await end(store, run, "failed");
      const ended = await current(store, "r1");
      expect(ended).toMatchObject({
        status: "failed",
        error: failure,
        owner: null,
        seq: 2,
        updatedAt: 5000,
        endedAt: 5000,
      });
      for (const { token } of [run, ended]) {
        expect(await store.takeRun({ run: "r1", token, owner: someone })).toBeNull();
        await expect(
          store.advanceRun(step({ ...ended, token }, { events: [done("late")] })),
        ).rejects.toMatchObject(fenced);
      }
      expect(await current(store, "r1")).toEqual(ended);
    });

    test("is signalled by other processes only in the expected status", async () => {
      const { store, reopen } = await use(open);
      const run = await store.createRun(creation("r1"));
      await end(store, run, "failed");
      const other = await reopen();
      const rerun = {
        run: "r1",
        event: { type: "run.rerun", data: { from: { what: "failed" }, by: "ann" } },
        status: "running",
        ifStatus: ["done", "failed", "cancelled"],
        at: 6000,
      } as const;
      expect(await other.signalRun(rerun)).toBe(3);
      await expect(other.signalRun(rerun)).rejects.toMatchObject({
        ...conflict,
        message: "Run r1 is running, not done or failed or cancelled.",
      });
      const again = await current(store, "r1");
      expect(again).toMatchObject({
        status: "running",
        error: null,
        owner: null,
        seq: 3,
        startedAt: 1000,
        updatedAt: 6000,
        endedAt: null,
      });
      // The owner until its end is no longer the owner.
      await expect(
        store.advanceRun(step({ ...run, seq: 3 }, { events: [done("late")] })),
      ).rejects.toMatchObject(fenced);
      expect(await store.takeRun({ run: "r1", token: again.token, owner: owner(2) })).toBe(
        again.token + 1,
      );
      await expect(other.signalRun({ ...rerun, run: "none" })).rejects.toMatchObject({
        name: "NotFoundError",
        code: "no-run",
      });
      expect(await stream(store, "r1")).toHaveLength(3);
    });

    test("keeps its owner if the signal keeps its status", async () => {
      const { store, reopen } = await use(open);
      const run = await store.createRun(creation("r1"));
      const event = { type: "run.cancelling", data: { by: null } };
      const cancel = { run: "r1", event, status: null, ifStatus: ["running", "waiting"] } as const;
      expect(await (await reopen()).signalRun({ ...cancel, at: 1500 })).toBe(2);
      expect(await current(store, "r1")).toEqual({ ...run, seq: 2, updatedAt: 1500 });
    });

    test("is listed newest first, page by page, also by status and workflow", async () => {
      const { store, reopen } = await use(open);
      const times = { r1: 1000, r2: 3000, r3: 2000, r4: 3000, r5: 500 };
      for (const [id, at] of Object.entries(times))
        await store.createRun(creation(id, { at, workflow: id === "r3" ? "other" : "review" }));
      await end(store, await current(store, "r4"));
      await end(store, await current(store, "r3"));
      const other = await reopen();
      type Query = Omit<Parameters<Store["listRuns"]>[0], "limit">;
      const ids = async (query: Query, limit = 9) =>
        (await other.listRuns({ ...query, limit })).map(({ id }) => id);
      expect(await ids({})).toEqual(["r4", "r2", "r3", "r1", "r5"]);
      expect(await ids({ status: "running" })).toEqual(["r2", "r1", "r5"]);
      expect(await ids({ status: "waiting" })).toEqual([]);
      expect(await ids({ workflow: "review" })).toEqual(["r4", "r2", "r1", "r5"]);
      expect(await ids({ workflow: "other", status: "done" })).toEqual(["r3"]);

      const seen: string[] = [];
      for (let before: Run | undefined; ; ) {
        const page = await other.listRuns({ ...(before ? { before } : {}), limit: 2 });
        if (page.length === 0) break;
        seen.push(...page.map(({ id }) => id));
        before = page.at(-1)!;
      }
      expect(seen).toEqual(await ids({}));
      const before = await current(other, "r2");
      expect(await ids({ before, status: "running" }, 1)).toEqual(["r1"]);
      expect(await ids({ before, workflow: "review" })).toEqual(["r1", "r5"]);
    });

    test("is found by the beginning of its id", async () => {
      const { store } = await use(open);
      for (const id of ["abc", "abd", "b", "ab"]) await store.createRun(creation(id));
      expect(await store.findRuns("ab", 9)).toEqual(["ab", "abc", "abd"]);
      expect(await store.findRuns("ab", 2)).toEqual(["ab", "abc"]);
      expect(await store.findRuns("abd", 9)).toEqual(["abd"]);
      expect(await store.findRuns("x", 9)).toEqual([]);
    });

    test("is listed by page, and by the owners that left it", async () => {
      const { store } = await use(open);
      await store.createRun(creation("one", { at: 10, owner: owner(1) }));
      await store.createRun(creation("two", { at: 10, owner: owner(2) }));
      const free = await store.createRun(creation("free", { at: 20 }));
      await store.takeRun({ run: "free", token: free.token, owner: null });
      const ids = async (query: Omit<Parameters<Store["listActiveRuns"]>[0], "limit">, limit = 9) =>
        (await store.listActiveRuns({ ...query, limit })).map(({ id }) => id);
      expect(await ids({}, 2)).toEqual(["one", "two"]);
      expect(await ids({ after: (await store.readRun("two"))! })).toEqual(["free"]);
      expect(await ids({ leftBy: [] })).toEqual(["free"]);
      expect(await ids({ leftBy: [owner(2)] })).toEqual(["two", "free"]);
    });

    test("is active while it has an owner or should have one", async () => {
      const { store, reopen } = await use(open);
      const running = await store.createRun(creation("running", { at: 30 }));
      const orphan = await store.createRun(creation("orphan", { at: 20 }));
      await store.takeRun({ run: "orphan", token: orphan.token, owner: null });
      const attended = await store.createRun(creation("attended", { at: 10 }));
      await store.advanceRun(step(attended, { status: "waiting", opens: [item("i0")] }));
      await waiting(store, "parked", item("i1"));
      await end(store, await store.createRun(creation("ended")));
      const carried = async () =>
        (await (await reopen()).listActiveRuns({ limit: 99 })).map(({ id, status }) => [
          id,
          status,
        ]);
      expect(await carried()).toEqual([
        ["attended", "waiting"],
        ["orphan", "running"],
        ["running", "running"],
      ]);
      await end(store, running);
      await store.answerItem({
        item: "i1",
        choice: "approve",
        by: "ann",
        comment: null,
        values: {},
        at: 3000,
      });
      expect(await carried()).toEqual([
        ["attended", "waiting"],
        ["orphan", "running"],
        ["parked", "running"],
      ]);
    });
  });
}
