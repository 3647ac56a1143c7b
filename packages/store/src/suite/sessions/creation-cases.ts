/** Cases about sessions that do not begin with a turn, and about pins that move. */

import { sessionKey } from "@reprise/core/session/key";
import type { NewSession } from "../../contract/sessions.ts";
import type { Store } from "../../store.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { checkpoint, claim, finish, hold, message, opening, part, pin } from "../samples.ts";

function creation(overrides: Partial<NewSession> = {}): NewSession {
  return {
    key: sessionKey("b"),
    agent: "coder",
    provider: "scripted",
    how: "forked",
    from: "a",
    messages: [message("m1"), message("m2", { role: "assistant" })],
    pin: pin("h2"),
    checkpoint: checkpoint([part("log", 0, new Uint8Array([1, 2]))], { handle: "h2" }),
    at: 3000,
    ...overrides,
  };
}

export function creationCases(open: Open): void {
  describe("a session that does not begin with a turn", () => {
    test("is written completely: conversation, pin, checkpoint, events", async () => {
      const { store, reopen } = await use(open);
      await store.createSession(creation());
      const other = await reopen();
      expect(await other.load({ key: "b", agent: "coder" })).toMatchObject({
        session: { key: "b", agent: "coder", turns: 0, handle: "h2", createdAt: 3000 },
        pin: pin("h2"),
        retired: null,
        outline: [{ id: "m1" }, { id: "m2" }],
        checkpoint: { number: 1, handle: "h2", turn: "" },
      });
      expect(await other.readTranscript("b")).toHaveLength(2);
      const { parts } = await other.readCheckpoints({ key: "b", agent: "coder", handle: "h2" });
      expect(parts).toMatchObject([{ name: "log", bytes: new Uint8Array([1, 2]) }]);
      const events = await other.readEvents({ after: 0, limit: 10, stream: "session:b" });
      expect(events.map(({ type }) => type)).toEqual([
        "session.created",
        "session.forked",
        "session.pinned",
      ]);
      expect(await store.openTurn(opening("t1", "b"))).toMatchObject({ seq: 1 });
    });

    test("may have only the transcript", async () => {
      const { store } = await use(open);
      await store.createSession(creation({ how: "imported", pin: null, checkpoint: null }));
      expect(await store.load({ key: "b", agent: "coder" })).toMatchObject({
        pin: null,
        checkpoint: null,
        outline: [{}, {}],
      });
    });

    test("refuses an existing key, and a handle that is pinned or retired", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
      const retire = { provider: "scripted", handle: "h3", reason: "refused" };
      await store.finishTurn(finish(await hold(store, "t2", "a"), { retire }));
      for (const [overrides, code] of [
        [{ key: sessionKey("a") }, "session-exists"],
        [{ pin: pin("h1") }, "handle-pinned"],
        [{ pin: pin("h3") }, "handle-retired"],
      ] as const)
        await expect(store.createSession(creation(overrides))).rejects.toMatchObject({ code });
      expect(await store.listSessions({ limit: 10 })).toMatchObject([{ key: "a", handle: "h1" }]);
      expect(await store.readTranscript("b")).toEqual([]);
    });
  });

  test("pinned provider sessions are found by their ids", async () => {
    const { store } = await use(open);
    await store.createSession(creation());
    const find = (provider: string, handles: string[]) => store.findPinned({ provider, handles });
    expect(await find("scripted", ["h1", "h2", "h3"])).toEqual([{ handle: "h2", key: "b" }]);
    expect(await find("other", ["h2"])).toEqual([]);
    expect(await find("scripted", [])).toEqual([]);
  });

  describe("a pin that moves", () => {
    const moved = pin("h1", { folder: "/elsewhere", handle: { id: "h1", place: "/there" } });
    const read = async (store: Store) =>
      (await store.load({ key: "a", agent: "coder" })).pinVersion ?? 0;
    const move = (store: Store, version: number) =>
      store.movePin({ key: "a", version, to: moved, at: 4000 });

    test("is the new one for every reader", async () => {
      const { store, reopen } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
      await move(store, await read(store));
      expect(await (await reopen()).listPins("a")).toEqual([moved]);
    });

    test("stays while a turn has the session or its handle, or if a turn has advanced it", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
      const version = await read(store);
      await store.openTurn(opening("t2", "a"));
      await expect(move(store, version)).rejects.toMatchObject({ name: "BusyError" });
      await store.finishTurn(finish(await claim(store, "t2"), { pin: pin("h1", { turns: 2 }) }));
      await expect(move(store, version)).rejects.toMatchObject({ name: "BusyError" });
      expect(await read(store)).toBeGreaterThan(version);
      expect(await store.listPins("a")).toEqual([pin("h1", { turns: 2 })]);
      await expect(
        store.movePin({ key: "unknown", version, to: moved, at: 4000 }),
      ).rejects.toMatchObject({ name: "NotFoundError" });
    });
  });

  test("a turn that forks a handle by command keeps it from its source's turns", async () => {
    const { store } = await use(open);
    await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: pin("h1") }));
    const fork = { key: "a", by: "command", source: { id: "h1", place: "/place" } } as const;
    await store.createSession(creation({ pin: pin("fork-1", { fork }), checkpoint: null }));
    const held = await hold(store, "t2", "b");
    await store.openTurn(opening("t3", "a"));
    const behind = await store.claimTurn({ turn: "t3", owner: opening("t", "a").owner, at: 5000 });
    expect(behind).toMatchObject({ granted: false, behind: { id: "t2" } });
    await store.finishTurn(finish(held));
    await claim(store, "t3");
  });
}
