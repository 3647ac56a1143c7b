/** Cases about purging a key. */

import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import {
  attempt,
  blank,
  checkpoint,
  finish,
  hold,
  message,
  opening,
  part,
  pin,
} from "../samples.ts";

export function purgeCases(open: Open): void {
  describe("purge", () => {
    test("removes everything under the key except the time of the purge", async () => {
      const { store, reopen } = await use(open);
      await store.finishTurn(finish(await hold(store, "kept", "b"), { messages: [message("m9")] }));
      const held = await hold(store, "t1", "a");
      await store.recordDecision({
        ...held,
        number: 1,
        decision: blank,
        bumpEpoch: false,
        at: 1600,
      });
      await store.finishTurn(
        finish(held, {
          attempt: attempt(),
          messages: [message("m1"), message("m2")],
          pin: pin("h1"),
          checkpoint: checkpoint([part("log", 0, new Uint8Array([1]))]),
        }),
      );
      await store.openTurn(opening("t2", "a"));
      await store.finishTurn(finish({ turn: "t2", token: 0 }, { status: "cancelled" }));

      const purge = { key: "a", by: "ann", at: 3000 };
      expect(await store.purgeSession(purge)).toEqual({ turns: ["t1", "t2"] });
      const other = await reopen();
      expect(await other.load({ key: "a", agent: "coder" })).toEqual({
        session: null,
        pin: null,
        pinVersion: null,
        retired: null,
        outline: [],
        checkpoint: null,
        purgedAt: 3000,
        askedLast: false,
        lastLaunch: null,
        limits: [],
      });
      expect(await other.readTurn("t1")).toBeNull();
      expect(await other.listTurns({ key: "a", limit: 10 })).toEqual([]);
      expect(await other.readTranscript("a")).toEqual([]);
      expect(await other.readCheckpoints({ key: "a", agent: "coder", handle: "h1" })).toEqual({
        heads: [],
        parts: [],
      });
      expect(await other.listSessions({ limit: 10 })).toMatchObject([{ key: "b" }]);
      expect(await other.readTranscript("b")).toHaveLength(1);
      expect(await other.readEvents({ after: 0, limit: 100, stream: "session:a" })).toMatchObject([
        { type: "session.purged", data: { turns: 2, by: "ann" }, at: 3000 },
      ]);
    });

    test("makes the key a new one that knows it was purged", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
      const [last] = (await store.readEvents({ after: 0, limit: 100 })).slice(-1);
      await store.purgeSession({ key: "a", at: 3000 });
      expect(await store.openTurn(opening("t2", "a", { at: 4000 }))).toMatchObject({ seq: 1 });
      const loaded = await store.load({ key: "a", agent: "coder" });
      expect(loaded).toMatchObject({ pin: null, purgedAt: 3000, session: { createdAt: 4000 } });
      const later = await store.readEvents({ after: last?.seq ?? 0, limit: 100 });
      expect(later.map(({ type }) => type)).toEqual([
        "session.purged",
        "session.created",
        "turn.opened",
      ]);
      await store.finishTurn(finish({ turn: "t2", token: 0 }, { status: "cancelled" }));
      await store.purgeSession({ key: "a", at: 5000 });
      expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({ purgedAt: 5000 });
    });

    test("refuses a session in use", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      await expect(store.purgeSession({ key: "a", at: 3000 })).rejects.toMatchObject({
        name: "BusyError",
      });
      await store.finishTurn(finish(held, { status: "waiting" }));
      await expect(store.purgeSession({ key: "a", at: 3000 })).rejects.toMatchObject({
        name: "BusyError",
      });
      expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({ purgedAt: null });
    });

    test("refuses an unknown key", async () => {
      const { store } = await use(open);
      await expect(store.purgeSession({ key: "a", at: 3000 })).rejects.toMatchObject({
        name: "NotFoundError",
      });
      expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({ purgedAt: null });
    });
  });
}
