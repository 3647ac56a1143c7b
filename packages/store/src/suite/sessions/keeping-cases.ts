/** Cases about keeping sessions: holds, the archive, own settings, and what retention reads. */

import type { Store } from "../../store.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { claim, finish, hold, opening, pin } from "../samples.ts";

/** A session whose one turn ended at 2000. */
async function session(store: Store, key: string): Promise<void> {
  await store.finishTurn(finish(await hold(store, `turn-${key}`, key), { pin: pin(`h-${key}`) }));
}

/** What happened to it since. */
async function events(store: Store, key: string): Promise<[string, unknown][]> {
  const log = await store.readEvents({ after: 0, limit: 100, stream: `session:${key}` });
  return log.filter(({ at }) => at > 2000).map(({ type, data }) => [type, data]);
}

const unknown = { name: "NotFoundError", code: "no-session" };
const held = { name: "RefusedError", code: "held" };

export function keepingCases(open: Open): void {
  describe("holds", () => {
    test("are kept for each holder, and end one by one", async () => {
      const { store, reopen } = await use(open);
      await session(store, "a");
      await store.holdSession({ key: "a", by: "gate", reason: "approval", at: 3000 });
      await store.holdSession({ key: "a", by: "me", reason: null, at: 3001 });
      const other = await reopen();
      expect((await other.readSession("a"))?.held).toEqual([
        { by: "gate", reason: "approval", at: 3000 },
        { by: "me", reason: null, at: 3001 },
      ]);
      expect((await other.load({ key: "a", agent: "coder" })).session?.held).toHaveLength(2);
      expect(await other.listSessions({ limit: 9 })).toMatchObject([{ held: [{}, {}] }]);
      await store.releaseSession({ key: "a", by: "gate", at: 3002 });
      expect((await store.readSession("a"))?.held).toEqual([{ by: "me", reason: null, at: 3001 }]);
      expect(await store.releaseSession({ key: "a", by: "me", at: 3003 })).toMatchObject({
        key: "a",
        held: [],
        updatedAt: 2000,
      });
      expect(await events(store, "a")).toEqual([
        ["session.held", { by: "gate", reason: "approval" }],
        ["session.held", { by: "me", reason: null }],
        ["session.released", { by: "gate" }],
        ["session.released", { by: "me" }],
      ]);
    });

    test("holding again keeps one hold, with the first time and the last reason", async () => {
      const { store } = await use(open);
      await session(store, "a");
      await store.holdSession({ key: "a", by: "me", reason: null, at: 3000 });
      await store.holdSession({ key: "a", by: "me", reason: null, at: 3001 });
      const again = await store.holdSession({ key: "a", by: "me", reason: "later", at: 3002 });
      expect(again.held).toEqual([{ by: "me", reason: "later", at: 3000 }]);
      expect(await events(store, "a")).toHaveLength(2);
    });

    test("that do not exist cannot be released", async () => {
      const { store } = await use(open);
      await session(store, "a");
      await store.holdSession({ key: "a", by: "gate", reason: null, at: 3000 });
      await expect(store.releaseSession({ key: "a", by: "me", at: 3001 })).rejects.toMatchObject({
        name: "NotFoundError",
        code: "no-hold",
        hint: 'Name the holder with the option "by": gate.',
      });
      await expect(store.releaseSession({ key: "b", by: "me", at: 1 })).rejects.toMatchObject(
        unknown,
      );
      await expect(
        store.holdSession({ key: "b", by: "me", reason: null, at: 1 }),
      ).rejects.toMatchObject(unknown);
    });

    test("prevent archiving and purging, unless forced", async () => {
      const { store } = await use(open);
      await session(store, "a");
      await store.holdSession({ key: "a", by: "gate", reason: "approval", at: 3000 });
      const archive = { key: "a", reason: null, at: 3001 };
      await expect(store.archiveSession(archive)).rejects.toMatchObject({
        ...held,
        message: "Session a is held by gate (approval).",
      });
      await expect(store.purgeSession({ key: "a", at: 3001 })).rejects.toMatchObject(held);
      expect(await store.readSession("a")).toMatchObject({ archivedAt: null, turns: 1 });
      await store.purgeSession({ key: "a", force: true, at: 3002 });
      expect(await store.readSession("a")).toBeNull();
    });

    test("are removed with a purged session", async () => {
      const { store } = await use(open);
      await session(store, "a");
      await store.holdSession({ key: "a", by: "gate", reason: null, at: 3000 });
      await store.purgeSession({ key: "a", force: true, at: 3001 });
      await store.openTurn(opening("t9", "a"));
      expect(await store.readSession("a")).toMatchObject({ held: [], settings: {} });
    });
  });

  describe("the archive", () => {
    test("keeps everything, and gives it back", async () => {
      const { store } = await use(open);
      await session(store, "a");
      await store.archiveSession({ key: "a", reason: "unused", at: 3000 });
      await store.archiveSession({ key: "a", reason: "again", at: 4000 });
      expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({
        session: { archivedAt: 3000, updatedAt: 2000 },
        pin: { handle: { id: "h-a" } },
      });
      await store.reviveSession({ key: "a", at: 5000 });
      await store.reviveSession({ key: "a", at: 6000 });
      expect(await store.readSession("a")).toMatchObject({ archivedAt: null, updatedAt: 5000 });
      expect(await events(store, "a")).toEqual([
        ["session.archived", { reason: "unused" }],
        ["session.revived", {}],
      ]);
    });

    test("refuses a session in use and an unknown one", async () => {
      const { store } = await use(open);
      await store.openTurn(opening("t1", "a"));
      const archive = { key: "a", reason: null, at: 3000 };
      const busy = { name: "BusyError", code: "busy" };
      await expect(store.archiveSession(archive)).rejects.toMatchObject(busy);
      await store.finishTurn(finish(await claim(store, "t1"), { status: "waiting" }));
      await expect(store.archiveSession(archive)).rejects.toMatchObject(busy);
      await expect(store.archiveSession({ ...archive, key: "b" })).rejects.toMatchObject(unknown);
      await expect(store.reviveSession({ key: "b", at: 1 })).rejects.toMatchObject(unknown);
    });

    test("refuses a session that has changed since it was read", async () => {
      const { store } = await use(open);
      const changed = { name: "RefusedError", code: "changed" };
      await session(store, "a");
      const archive = { key: "a", reason: null, at: 3000 };
      await expect(store.archiveSession({ ...archive, ifUsedAt: 1 })).rejects.toMatchObject(
        changed,
      );
      await store.archiveSession({ ...archive, ifUsedAt: 2000 });
      for (const ifArchivedAt of [2999, 3001])
        await expect(
          store.purgeSession({ key: "a", ifArchivedAt, at: 4000 }),
        ).rejects.toMatchObject(changed);
      await store.reviveSession({ key: "a", at: 3500 });
      const purge = { key: "a", ifArchivedAt: 3000, at: 4000 };
      await expect(store.purgeSession(purge)).rejects.toMatchObject(changed);
      await store.archiveSession({ ...archive, at: 3000 });
      expect(await store.purgeSession(purge)).toEqual({ turns: ["turn-a"] });
    });
  });

  describe("settings of a session", () => {
    test("are changed by name", async () => {
      const { store, reopen } = await use(open);
      await session(store, "a");
      await store.setSession({
        key: "a",
        settings: { archiveAfter: "30d", "budget.maxTokens": 1000 },
        at: 3000,
      });
      const set = { archiveAfter: null, "reset.mode": "none" };
      expect(await store.setSession({ key: "a", settings: set, at: 3001 })).toMatchObject({
        key: "a",
        settings: { "budget.maxTokens": 1000, "reset.mode": "none" },
      });
      const other = await reopen();
      const { session: loaded } = await other.load({ key: "a", agent: "coder" });
      expect(loaded?.settings).toEqual({ "budget.maxTokens": 1000, "reset.mode": "none" });
      expect(loaded?.updatedAt).toBe(2000);
      expect(await events(store, "a")).toEqual([
        ["session.set", { settings: { archiveAfter: "30d", "budget.maxTokens": 1000 } }],
        ["session.set", { settings: set }],
      ]);
    });

    test("need a session", async () => {
      const { store } = await use(open);
      await expect(store.setSession({ key: "a", settings: {}, at: 1 })).rejects.toMatchObject(
        unknown,
      );
    });
  });

  describe("what retention reads", () => {
    test("is when a session was used, and what protects it", async () => {
      const { store } = await use(open);
      for (const key of ["a", "b", "c"]) await session(store, key);
      await store.archiveSession({ key: "a", reason: null, at: 3000 });
      await store.holdSession({ key: "a", by: "me", reason: null, at: 3002 });
      await store.holdSession({ key: "a", by: "gate", reason: null, at: 3001 });
      await store.setSession({ key: "b", settings: { archiveAfter: "30d" }, at: 3000 });
      await store.openTurn(opening("t9", "c"));
      const usual = { usedAt: 2000, archivedAt: null, heldBy: [], inUse: false, settings: {} };
      const [first, second, third] = [
        { ...usual, key: "a", archivedAt: 3000, heldBy: ["gate", "me"] },
        { ...usual, key: "b", settings: { archiveAfter: "30d" } },
        { ...usual, key: "c", inUse: true },
      ];
      expect(await store.listRetention({ limit: 10 })).toEqual([first, second, third]);
      expect(await store.listRetention({ limit: 2 })).toEqual([first, second]);
      expect(await store.listRetention({ after: "b", limit: 2 })).toEqual([third]);
      expect(await store.listRetention({ after: "c", limit: 2 })).toEqual([]);
    });
  });
}
