/** Cases about due rows: their order, one claim per key, settling, and expired claims. */

import type { NewDue } from "../../contract/due.ts";
import type { Store } from "../../store.ts";
import { clock, type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";

const minute = 60_000;

export function dueCases(open: Open): void {
  const add = async (store: Store, ...due: NewDue[]) => {
    await store.appendEvents({
      stream: `run:${due[0]!.id}`,
      expectedSeq: 0,
      events: [],
      due,
      at: 0,
    });
  };
  const row = (id: string, key: string, at: number): NewDue => ({ id, key, at, payload: { id } });
  const rows = (store: Store, owner: string, at: number, limit = 10) => {
    clock.now = at;
    return store.claimDue({ owner, limit });
  };
  const claim = async (...claimed: Parameters<typeof rows>) =>
    (await rows(...claimed)).map(({ id }) => id);

  describe("what is due", () => {
    test("is claimed when its time has come, in the order of its time", async () => {
      const { store, reopen } = await use(open);
      await add(store, row("late", "c", 300), row("second", "b", 200), row("first", "a", 100));
      expect(await claim(store, "o", 99)).toEqual([]);
      expect(await claim(store, "o", 200, 1)).toEqual(["first"]);
      const claimed = await rows(await reopen(), "p", 250);
      expect(claimed).toEqual([
        { id: "second", key: "b", at: 200, payload: { id: "second" }, failures: 0 },
      ]);
      expect(await rows(store, "o", 300)).toHaveLength(1);
    });

    test("comes one at a time for a key, in order, equal times as they were written", async () => {
      const { store } = await use(open);
      await add(
        store,
        row("a3", "a", 30),
        row("a1", "a", 10),
        row("a2", "a", 10),
        row("b", "b", 40),
      );
      expect(await claim(store, "o", 100)).toEqual(["a1", "b"]);
      expect(await claim(store, "p", 100)).toEqual([]);
      await store.settleDue({ id: "a1", owner: "o", again: null });
      expect(await claim(store, "p", 100)).toEqual(["a2"]);
      await add(store, row("a0", "a", 5));
      expect(await claim(store, "o", 100)).toEqual([]);
      await store.settleDue({ id: "a2", owner: "p", again: null });
      expect(await claim(store, "o", 100)).toEqual(["a0"]);
      await store.settleDue({ id: "a0", owner: "o", again: null });
      expect(await claim(store, "o", 100)).toEqual(["a3"]);
    });

    test("can be claimed by kind", async () => {
      const { store } = await use(open);
      await add(store, row("bell:1", "a", 10), row("bell_:1", "b", 10), row("other:1", "c", 10));
      clock.now = 10;
      const bells = { owner: "o", kind: "bell", limit: 9 };
      expect((await store.claimDue(bells)).map(({ id }) => id)).toEqual(["bell:1"]);
      expect(await claim(store, "o", 10)).toEqual(["bell_:1", "other:1"]);
    });

    test("is put back with a failure counted", async () => {
      const { store } = await use(open);
      await add(store, row("d", "a", 10));
      await claim(store, "o", 10);
      await store.settleDue({ id: "d", owner: "o", again: 500 });
      expect(await claim(store, "o", 499)).toEqual([]);
      expect(await rows(store, "p", 500)).toMatchObject([{ id: "d", at: 500, failures: 1 }]);
    });

    test("passes to another owner if it is not settled within a minute", async () => {
      const { store, reopen } = await use(open);
      const other = await reopen();
      await add(store, row("d", "a", 10), row("e", "a", 20));
      await claim(store, "dead", 100);
      expect(await claim(other, "alive", 100 + minute)).toEqual([]);
      expect(await claim(other, "alive", 101 + minute)).toEqual(["d"]);

      await store.settleDue({ id: "d", owner: "dead", again: null });
      await store.settleDue({ id: "d", owner: "dead", again: 5 });
      expect(await claim(store, "third", 102 + minute)).toEqual([]);
      await other.settleDue({ id: "d", owner: "alive", again: null });
      expect(await claim(store, "third", 103 + minute)).toEqual(["e"]);
    });

    test("is not due twice under one id", async () => {
      const { store } = await use(open);
      await add(store, row("d", "a", 10));
      await store.appendEvents({
        stream: "run:other",
        expectedSeq: 0,
        events: [],
        due: [row("d", "b", 99)],
        at: 0,
      });
      expect(await rows(store, "o", 100)).toMatchObject([{ id: "d", key: "a", at: 10 }]);
    });
  });
}
