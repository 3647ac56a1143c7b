/** Cases about inbox items: one resolution each, deadlines, held sessions, and how they are listed. */

import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { Store } from "../../store.ts";
import { clock, type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { finish, hold, pin, someone } from "../samples.ts";
import {
  allDue,
  approval,
  creation,
  current,
  done,
  item,
  step,
  stream,
  waiting,
} from "./run-samples.ts";

async function session(store: Store, key: string): Promise<void> {
  await store.finishTurn(finish(await hold(store, `turn-${key}`, key), { pin: pin(`h-${key}`) }));
}

function expire(store: Store, item: string, at: number): Promise<boolean> {
  clock.now = at;
  return store.expireItem({ item });
}

const day = 24 * 60 * 60 * 1000;
const held = { name: "RefusedError", code: "held" };

/** The events of a run's gates. */
async function gates(store: Store, run: string): Promise<[string, unknown][]> {
  const events = await stream(store, run);
  return events
    .filter(({ type }) => type === "gate.answered" || type === "gate.expired")
    .map(({ type, data }) => [type, data]);
}

export function inboxCases(open: Open): void {
  describe("an inbox item", () => {
    test("is opened with the step that opens it, and read as it was opened", async () => {
      const { store, reopen } = await use(open);
      const fields = [
        { name: "count", label: "How many?", type: "number", choices: [], required: true },
      ] as const;
      const opened = item("i1", {
        kind: "form",
        execution: "review/2/gate",
        message: "Look at it.",
        fields,
        answerers: ["ann", "bob"],
        sessions: ["a", "b"],
        deadline: 9000,
      });
      await waiting(store, "r1", opened);
      expect(await (await reopen()).readItem("i1")).toEqual({
        ...opened,
        run: "r1",
        workflow: "review",
        openedAt: 2000,
        resolution: null,
      });
      expect(await store.readItem("i2")).toBeNull();
      expect(await allDue(store)).toEqual(["deadline:i1"]);
    });

    test("accepts one answer; a second one gets the first", async () => {
      const { store, reopen } = await use(open);
      const run = await waiting(store, "r1", item("i1", { deadline: 9000 }));
      const answer = approval("i1", { comment: "Well done.", values: { count: 3 } });
      const first = await store.answerItem(answer);
      const resolution = {
        how: "answered",
        choice: "approve",
        by: "ann",
        comment: "Well done.",
        values: { count: 3 },
        at: 3000,
      };
      expect(first).toMatchObject({ given: true, item: { id: "i1", resolution } });
      const other = await reopen();
      const late = approval("i1", { choice: "reject", by: "bob", at: 3001 });
      expect(await other.answerItem(late)).toEqual({ item: first.item, given: false });
      expect(await expire(other, "i1", 9999)).toBe(false);
      expect(await other.readItem("i1")).toEqual(first.item);

      expect(await current(other, "r1")).toEqual({
        ...run,
        status: "running",
        seq: run.seq + 1,
        updatedAt: 3000,
      });
      const { how: _, at: __, ...said } = resolution;
      expect(await gates(other, "r1")).toEqual([
        ["gate.answered", { execution: "gate", item: "i1", ...said }],
      ]);
      expect(await allDue(other)).toEqual([]);
      await expect(other.answerItem(approval("none"))).rejects.toMatchObject({
        name: "NotFoundError",
        code: "no-item",
      });
    });

    test("answered by many at once has one resolution, event and winner", async () => {
      const { store, reopen } = await use(open);
      const opens = Array.from({ length: 10 }, (_, index) => item(`i${index}`));
      const run = await waiting(store, "r1", ...opens);
      const people = await Promise.all(
        ["ann", "bob", "cyd", "dan", "eve"].map(async (by) => ({ by, store: await reopen() })),
      );
      const answers = await Promise.all(
        people.flatMap(({ by, store: mine }) =>
          opens.map(async ({ id }) => ({ by, ...(await mine.answerItem(approval(id, { by }))) })),
        ),
      );
      const given = answers.filter((answer) => answer.given);
      expect(given.map((each) => each.item.id).toSorted()).toEqual(opens.map(({ id }) => id));
      for (const { by, item: answered } of given) {
        expect(answered.resolution).toMatchObject({ how: "answered", by });
        expect(await store.readItem(answered.id)).toEqual(answered);
      }
      expect(await gates(store, "r1")).toHaveLength(opens.length);
      expect(await current(store, "r1")).toMatchObject({ seq: run.seq + opens.length });
    });

    test("expires at its deadline, and not earlier", async () => {
      const { store, reopen } = await use(open);
      const run = await waiting(store, "r1", item("i1", { deadline: 9000 }), item("i2"));
      expect(await expire(store, "i1", 8999)).toBe(false);
      expect(await expire(store, "i2", 1e12)).toBe(false);
      expect(await expire(store, "none", 1e12)).toBe(false);
      expect(await current(store, "r1")).toEqual(run);
      expect(await expire(store, "i1", 9000)).toBe(true);
      const other = await reopen();
      expect(await expire(other, "i1", 9001)).toBe(false);
      expect(await other.readItem("i1")).toMatchObject({
        resolution: { how: "expired", at: 9000 },
      });
      expect(await gates(other, "r1")).toEqual([
        ["gate.expired", { execution: "gate", item: "i1" }],
      ]);
      expect(await current(other, "r1")).toMatchObject({ status: "running", seq: run.seq + 1 });
      expect(await allDue(other)).toEqual([]);
    });

    test.each([
      ["ahead", 8999, true],
      ["behind", 9000, false],
    ])(
      "is answered in time by the store's clock, if the caller's is a day %s",
      async (how, now, given) => {
        const { store } = await use(open);
        await waiting(store, "r1", item("i1", { deadline: 9000 }));
        clock.now = now;
        const at = how === "ahead" ? now + day : now - day;
        expect(await store.answerItem(approval("i1", { at }))).toMatchObject({ given });
      },
    );

    test("is expired for an answer at its deadline or later", async () => {
      const { store } = await use(open);
      const opens = ["before", "at", "after"].map((id) => item(id, { deadline: 9000 }));
      await waiting(store, "r1", ...opens);
      clock.now = 8999;
      expect(await store.answerItem(approval("before"))).toMatchObject({
        given: true,
        item: { resolution: { how: "answered" } },
      });
      for (const [id, at] of [
        ["at", 9000],
        ["after", 9001],
      ] as const) {
        clock.now = at;
        expect(await store.answerItem(approval(id))).toMatchObject({
          given: false,
          item: { resolution: { how: "expired", at } },
        });
      }
      expect((await gates(store, "r1")).map(([type]) => type)).toEqual([
        "gate.answered",
        "gate.expired",
        "gate.expired",
      ]);
      expect(await allDue(store)).toEqual([]);
    });

    test("holds its existing sessions; once it is answered the run holds them, until it ends", async () => {
      const { store, reopen } = await use(open);
      await session(store, "a");
      await session(store, "b");
      const opens = [item("i1", { sessions: ["a", "b", "new"] }), item("i2", { sessions: ["a"] })];
      await waiting(store, "r1", ...opens);
      const other = await reopen();
      const reason = "run r1 waits for an answer";
      expect((await other.readSession("a"))?.held).toEqual([
        { by: "gate:i1", reason, at: 2000 },
        { by: "gate:i2", reason, at: 2000 },
      ]);
      expect(await other.readSession("new")).toBeNull();
      const untold = { after: 0, limit: 9, stream: "session:new" };
      expect(await other.readEvents(untold)).toEqual([]);
      expect(await other.listRetention({ limit: 9 })).toMatchObject([
        { key: "a", heldBy: ["gate:i1", "gate:i2"] },
        { key: "b", heldBy: ["gate:i1"] },
      ]);
      const archive = { reason: null, at: 2500 };
      for (const key of ["a", "b"]) {
        await expect(other.archiveSession({ key, ...archive })).rejects.toMatchObject(held);
        await expect(other.purgeSession({ key, at: 2500 })).rejects.toMatchObject(held);
      }
      const { at } = approval("i1");
      await store.answerItem(approval("i1"));
      const continues = { by: "run:r1", reason: "run r1 continues" };
      expect((await other.readSession("a"))?.held).toEqual([
        { by: "gate:i2", reason, at: 2000 },
        { ...continues, at },
      ]);
      await expect(other.archiveSession({ key: "b", ...archive })).rejects.toMatchObject(held);
      await store.answerItem(approval("i2"));
      expect((await other.readSession("a"))?.held).toEqual([{ ...continues, at }]);
      const run = await current(store, "r1");
      const token = await store.takeRun({ run: "r1", token: run.token, owner: someone });
      await store.advanceRun(
        step({ ...run, token: token! }, { events: [done("end")], status: "done", at: 5000 }),
      );
      expect((await other.readSession("a"))?.held).toEqual([]);
      expect(await other.archiveSession({ key: "b", ...archive })).toMatchObject({
        archivedAt: 2500,
      });
      const log = await store.readEvents({ after: 0, limit: 100, stream: "session:a" });
      expect(log.slice(-6).map(({ type, data }) => [type, data])).toEqual([
        ["session.held", { by: "gate:i1", reason }],
        ["session.held", { by: "gate:i2", reason }],
        ["session.released", { by: "gate:i1" }],
        ["session.held", continues],
        ["session.released", { by: "gate:i2" }],
        ["session.released", { by: "run:r1" }],
      ]);
    });

    test("can be answered even if its sessions were released or purged meanwhile", async () => {
      const { store } = await use(open);
      await session(store, "a");
      await session(store, "b");
      await waiting(store, "r1", item("i1", { sessions: ["a", "b"] }));
      await store.releaseSession({ key: "a", by: "gate:i1", at: 2500 });
      await store.purgeSession({ key: "b", force: true, at: 2500 });
      expect(await store.answerItem(approval("i1"))).toMatchObject({ given: true });
      expect(await store.readSession("a")).toMatchObject({ held: [] });
      const log = await store.readEvents({ after: 0, limit: 100, stream: "session:b" });
      expect(log.map(({ type }) => type)).toEqual(["session.purged"]);
    });

    test.each(["done", "failed", "cancelled"] as const)(
      "is cancelled with a run that ends as %s, and lets its sessions go",
      async (status) => {
        const { store } = await use(open);
        await session(store, "a");
        const opens = ["i1", "i2", "i3"].map((id) => item(id, { sessions: ["a"], deadline: 9000 }));
        await waiting(store, "r1", ...opens);
        await waiting(store, "r2", item("other", { sessions: ["a"], deadline: 9000 }));
        const { item: answered } = await store.answerItem(approval("i1"));
        const run = await current(store, "r1");
        const token = await store.takeRun({ run: "r1", token: run.token, owner: someone });
        await store.advanceRun(
          step({ ...run, token: token! }, { events: [done("end")], status, at: 5000 }),
        );
        expect(await store.readItem("i1")).toEqual(answered);
        const cancelled = { how: "cancelled", at: 5000 };
        expect(await store.listItems({ run: "r1", all: true, limit: 9 })).toMatchObject([
          { id: "i3", resolution: cancelled },
          { id: "i2", resolution: cancelled },
          { id: "i1", resolution: { how: "answered" } },
        ]);
        expect((await store.readSession("a"))?.held).toMatchObject([{ by: "gate:other" }]);
        expect(await allDue(store)).toEqual(["deadline:other"]);
        const ended = await current(store, "r1");
        expect(await store.answerItem(approval("i2", { at: 6000 }))).toMatchObject({
          given: false,
          item: { resolution: cancelled },
        });
        expect(await expire(store, "i3", 9999)).toBe(false);
        expect(await current(store, "r1")).toEqual(ended);
      },
    );

    test("is cancelled too if another process's signal ends the run", async () => {
      const { store } = await use(open);
      await waiting(store, "r1", item("i1"));
      const signal = { run: "r1", event: done("x"), ifStatus: ["waiting"], at: 5000 } as const;
      await store.signalRun({ ...signal, status: "cancelled" });
      expect(await store.readItem("i1")).toMatchObject({ resolution: { how: "cancelled" } });
      expect(await current(store, "r1")).toMatchObject({ status: "cancelled", endedAt: 5000 });
    });

    test("an answer meanwhile makes the owner of the run read again", async () => {
      const { store, reopen } = await use(open);
      const run = await store.createRun(creation("r1"));
      const opens = [item("i1"), item("i2")];
      const seq = await store.advanceRun(step(run, { opens, events: [done("a")] }));
      await (await reopen()).answerItem(approval("i1"));
      const believed = step({ ...run, seq }, { events: [done("b")], status: "waiting" });
      await expect(store.advanceRun(believed)).rejects.toMatchObject({ code: "conflict" });
      expect(await current(store, "r1")).toMatchObject({ status: "running", owner: someone });
      expect(await store.advanceRun({ ...believed, expectedSeq: seq + 1 })).toBe(seq + 2);
    });

    test("is listed page by page, open ones oldest first, all newest first, of one run or all", async () => {
      const { store, reopen } = await use(open);
      for (const [run, ids, at] of [
        ["r2", ["c", "a"], 3000],
        ["r1", ["d", "b"], 2000],
        ["r3", ["e"], 3000],
      ] as const)
        await store.advanceRun(
          step(await store.createRun(creation(run)), { opens: ids.map((id) => item(id)), at }),
        );
      await store.answerItem(approval("d"));
      const other = await reopen();
      type Query = Omit<Parameters<Store["listItems"]>[0], "limit">;
      const ids = async (query: Query, limit = 9) =>
        (await other.listItems({ ...query, limit })).map(({ id }) => id);
      expect(await ids({})).toEqual(["b", "a", "c", "e"]);
      expect(await ids({ all: true })).toEqual(["e", "c", "a", "d", "b"]);
      expect(await ids({ all: true }, 2)).toEqual(["e", "c"]);
      expect(await ids({ run: "r1" })).toEqual(["b"]);
      expect(await ids({ run: "r1", all: true })).toEqual(["d", "b"]);
      expect(await ids({ run: "none" })).toEqual([]);
      expect(await other.countInbox({})).toBe(4);
      expect(await other.countInbox({ all: true })).toBe(5);
      expect(await other.countInbox({ run: "r1" })).toBe(1);
      expect(await other.countRuns({})).toBe(3);
      expect(await other.countRuns({ workflow: "none" })).toBe(0);

      for (const all of [false, true]) {
        const seen: string[] = [];
        for (let after: InboxItem | undefined; ; ) {
          const page = await other.listItems({ all, ...(after ? { after } : {}), limit: 2 });
          if (page.length === 0) break;
          seen.push(...page.map(({ id }) => id));
          after = page.at(-1)!;
        }
        expect(seen).toEqual(await ids({ all }));
      }
      // A position in the list stays valid after its item was resolved.
      const after = (await other.readItem("d"))!;
      expect(await ids({ after }, 1)).toEqual(["a"]);
      expect(await ids({ after, run: "r2" })).toEqual(["a", "c"]);
      expect(await ids({ after, all: true })).toEqual(["b"]);
    });

    test("is listed by whether its deadline has passed", async () => {
      const { store } = await use(open);
      const opens = [
        item("never"),
        item("late", { deadline: 9000 }),
        item("early", { deadline: 8000 }),
      ];
      await waiting(store, "r1", ...opens);
      const overdue = async (overdueAt: number, all = false) =>
        (await store.listItems({ overdueAt, all, limit: 9 })).map(({ id }) => id);
      expect(await overdue(7999)).toEqual([]);
      expect(await overdue(8000)).toEqual(["early"]);
      expect(await overdue(9000)).toEqual(["early", "late"]);
      await store.answerItem(approval("early", { at: 7000 }));
      expect(await overdue(9000)).toEqual(["late"]);
      expect(await overdue(9000, true)).toEqual(["late", "early"]);
    });

    test("is found by the beginning of its id, even if that is ambiguous", async () => {
      const { store } = await use(open);
      await waiting(store, "r1", item("abc"), item("abd"), item("b"));
      await store.answerItem(approval("abc"));
      expect(await store.findItems("ab", 2)).toEqual(["abc", "abd"]);
      expect(await store.findItems("abd", 2)).toEqual(["abd"]);
      expect(await store.findItems("", 2)).toEqual(["abc", "abd"]);
      expect(await store.findItems("x", 2)).toEqual([]);
    });
  });
}
