/** Cases about waiting for commits. */

import { type Open, use } from "./fixture.ts";
import { describe, expect, test } from "./runner.ts";
import { creation } from "./runs/run-samples.ts";
import { opening, someone } from "./samples.ts";

const never = new AbortController().signal;

export function changeCases(open: Open): void {
  describe("changes", () => {
    test("return at once if something was committed after the mark", async () => {
      const { store, reopen } = await use(open);
      const other = await reopen();
      const mark = await store.changes(0, never);
      await store.createRun(creation("r1"));
      const next = await store.changes(mark, never);
      expect(next).not.toBe(mark);
      await other.createRun(creation("r2"));
      expect(await store.changes(next, never)).not.toBe(next);
    });

    test("wake every caller after a commit of this or another process", async () => {
      const { store, reopen } = await use(open);
      const other = await reopen();
      for (const [id, writer] of Object.entries({ own: store, foreign: other })) {
        const mark = await settled(store);
        const waiting = [store.changes(mark, never), store.changes(mark, never)];
        await writer.createRun(creation(id));
        for (const woken of await Promise.all(waiting)) expect(woken).not.toBe(mark);
        expect(await store.readRun(id)).toMatchObject({ id });
      }
    });

    test("return the same mark when the caller stops waiting", async () => {
      const { store } = await use(open);
      const mark = await settled(store);
      const stop = new AbortController();
      const waiting = store.changes(mark, stop.signal);
      stop.abort();
      expect(await waiting).toBe(mark);
      expect(await store.changes(mark, AbortSignal.abort())).toBe(mark);
    });

    test("do not follow from a verb that wrote nothing", async () => {
      const { store } = await use(open);
      await store.openTurn(opening("t1", "a"));
      await store.openTurn(opening("t2", "a"));
      const mark = await settled(store);
      await store.claimTurn({ turn: "t2", owner: someone, at: 1 });
      await store.readTurn("t2");
      expect(await store.changes(mark, AbortSignal.abort())).toBe(mark);
    });

    test("wake their callers when the store is closed", async () => {
      const { reopen } = await use(open);
      const store = await reopen();
      const waiting = store.changes(await settled(store), never);
      await store.close();
      await waiting;
    });
  });
}

/** The mark once all earlier commits are known. */
async function settled({
  changes,
}: {
  changes(since: number, signal: AbortSignal): Promise<number>;
}) {
  let mark = await changes(0, never);
  for (;;) {
    const next = await changes(mark, AbortSignal.timeout(100));
    if (next === mark) return mark;
    mark = next;
  }
}
