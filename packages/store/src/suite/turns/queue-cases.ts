/** Cases about the queue of a session: its order, which turn is behind which, and the four busy policies. */

import type { Store } from "../../store.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { claim, finish, hold, opening, owner, pin, someone } from "../samples.ts";

export function queueCases(open: Open): void {
  const ask = (store: Store, turn: string) => store.claimTurn({ turn, owner: someone, at: 1500 });

  describe("the queue of a key", () => {
    test("runs turns in the order of their numbers", async () => {
      const { store, reopen } = await use(open);
      const other = await reopen();
      await store.openTurn(opening("t1", "a"));
      await other.openTurn(opening("t2", "a"));
      await store.openTurn(opening("t3", "a"));
      expect(await ask(store, "t3")).toMatchObject({ granted: false, behind: { id: "t1" } });
      expect(await ask(other, "t2")).toMatchObject({ granted: false, behind: { id: "t1" } });

      const first = await claim(store, "t1");
      expect(await ask(other, "t2")).toMatchObject({
        granted: false,
        behind: { id: "t1", status: "running" },
      });
      await store.finishTurn(finish(first));
      expect(await ask(store, "t3")).toMatchObject({ granted: false, behind: { id: "t2" } });
      await other.finishTurn(finish(await claim(other, "t2")));
      await store.finishTurn(finish(await claim(store, "t3")));
      expect(await store.openTurn(opening("t4", "a"))).toMatchObject({ seq: 4 });
      expect(await store.openTurn(opening("t5", "b"))).toMatchObject({ seq: 1 });
    });

    test("grants a claimed turn to no other process", async () => {
      const { store, reopen } = await use(open);
      await hold(store, "t1", "a");
      const again = await (await reopen()).claimTurn({ turn: "t1", owner: owner(2), at: 1600 });
      expect(again).toMatchObject({
        granted: false,
        behind: { id: "t1", status: "running", owner: someone, token: 1 },
      });
    });

    test("refuses a claim of a turn that has ended or does not exist", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a")));
      await expect(ask(store, "t1")).rejects.toMatchObject({ name: "FencedError" });
      await expect(ask(store, "t2")).rejects.toMatchObject({ name: "NotFoundError" });
    });

    test("moves on when a turn in it ends without having run", async () => {
      const { store } = await use(open);
      const first = await hold(store, "t1", "a");
      const second = await store.openTurn(opening("t2", "a"));
      await store.openTurn(opening("t3", "a"));
      const given = { turn: "t2", token: second.token };
      expect(await store.finishTurn(finish(given, { status: "cancelled" }))).toMatchObject({
        turn: { id: "t2", status: "cancelled", startedAt: null },
      });
      await store.finishTurn(finish(first));
      await claim(store, "t3");
    });
  });

  describe("the next turn that any process may run", () => {
    const queued = { busy: "queue" } as const;

    test("is one of the same key, else the oldest of any key", async () => {
      const { store } = await use(open);
      const first = await hold(store, "t1", "a");
      await store.openTurn(opening("t2", "b", { ...queued, at: 1001 }));
      await store.openTurn(opening("t3", "a", { ...queued, at: 1002 }));
      await store.openTurn(opening("t4", "a", { ...queued, at: 1003 }));
      expect(await store.finishTurn(finish(first))).toMatchObject({ next: { id: "t3" } });
      const third = await claim(store, "t3");
      expect(await store.finishTurn(finish(third))).toMatchObject({ next: { id: "t4" } });
      const fourth = await claim(store, "t4");
      expect(await store.finishTurn(finish(fourth))).toMatchObject({ next: { id: "t2" } });
    });

    test("is acknowledged or has no owner, and is the first of its key", async () => {
      const { store } = await use(open);
      const first = await hold(store, "t1", "a");
      const { token } = await store.openTurn(opening("t2", "a"));
      await store.openTurn(opening("t3", "a", queued));
      await hold(store, "t4", "b");
      await store.openTurn(opening("t5", "b", queued));
      expect(await store.finishTurn(finish(first))).toMatchObject({
        turn: { id: "t1", status: "done" },
        next: null,
      });
      await store.takeOver({ turn: "t2", token, owner: null });
      const other = await hold(store, "t6", "c");
      expect(await store.finishTurn(finish(other))).toMatchObject({ next: { id: "t2" } });
    });
  });

  describe("a caller whose session is in use", () => {
    test("waits unacknowledged, or is acknowledged as queued", async () => {
      const { store } = await use(open);
      await hold(store, "t1", "a");
      expect(await store.openTurn(opening("t2", "a", { busy: "wait" }))).toMatchObject({
        status: "queued",
        acknowledged: false,
      });
      expect(await store.openTurn(opening("t3", "a", { busy: "queue" }))).toMatchObject({
        status: "queued",
        acknowledged: true,
        seq: 3,
      });
    });

    test("skips: written, never run", async () => {
      const { store } = await use(open);
      const first = await hold(store, "t1", "a");
      expect(await store.openTurn(opening("t2", "a", { busy: "skip" }))).toMatchObject({
        status: "skipped",
        seq: 2,
        endedAt: 1000,
      });
      await store.finishTurn(finish(first));
      await expect(ask(store, "t2")).rejects.toMatchObject({ name: "FencedError" });
      expect(await store.openTurn(opening("t3", "a", { busy: "skip" }))).toMatchObject({
        status: "queued",
        seq: 3,
      });
    });

    test("fails, and nothing is written", async () => {
      const { store } = await use(open);
      const first = await store.openTurn(opening("t1", "a"));
      await expect(store.openTurn(opening("t2", "a", { busy: "fail" }))).rejects.toMatchObject({
        name: "BusyError",
      });
      expect(await store.readTurn("t2")).toBeNull();
      await store.finishTurn(finish({ turn: "t1", token: first.token }, { status: "interrupted" }));
      expect(await store.openTurn(opening("t3", "a", { busy: "fail" }))).toMatchObject({ seq: 2 });
    });
  });

  describe("two keys on one provider session", () => {
    const alias = async (store: Store) => {
      for (const key of ["a", "b"])
        await store.finishTurn(
          finish(await hold(store, `first-${key}`, key), { pin: pin("shared") }),
        );
    };

    test("one runs, the other is behind it", async () => {
      const { store, reopen } = await use(open);
      await alias(store);
      const held = await hold(store, "t1", "a");
      const other = await reopen();
      await other.openTurn(opening("t2", "b"));
      expect(await ask(other, "t2")).toMatchObject({ granted: false, behind: { id: "t1" } });
      await store.finishTurn(finish(held));
      await claim(other, "t2");
    });

    test("one waits for a person, and the other is still behind it", async () => {
      const { store } = await use(open);
      await alias(store);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { status: "waiting" }));
      await store.openTurn(opening("t2", "b"));
      expect(await ask(store, "t2")).toMatchObject({ granted: false, behind: { id: "t1" } });
    });

    test("the other follows its busy policy", async () => {
      const { store } = await use(open);
      await alias(store);
      await hold(store, "t1", "a");
      await expect(store.openTurn(opening("t2", "b", { busy: "fail" }))).rejects.toMatchObject({
        name: "BusyError",
      });
      expect(await store.openTurn(opening("t3", "b", { busy: "skip" }))).toMatchObject({
        status: "skipped",
      });
    });

    test("equal ids of two providers are two sessions", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("same") }));
      await store.finishTurn(
        finish(await hold(store, "t2", "b"), { pin: pin("same", { provider: "codex" }) }),
      );
      await hold(store, "t3", "a");
      await hold(store, "t4", "b");
    });
  });
}
