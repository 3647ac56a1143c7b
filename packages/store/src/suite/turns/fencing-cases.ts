/** Cases about ownership: a stale owner writes nothing, and only one takes over. */

import type { TurnClaim } from "../../contract/turns.ts";
import type { Store } from "../../store.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import {
  attempt,
  blank,
  finish,
  hold,
  launch,
  message,
  opening,
  owner,
  pin,
  someone,
} from "../samples.ts";

const writes: Readonly<Record<string, (store: Store, held: TurnClaim) => Promise<unknown>>> = {
  recordDecision: (store, held) =>
    store.recordDecision({ ...held, number: 2, decision: blank, bumpEpoch: true, at: 1900 }),
  recordLaunch: (store, held) =>
    store.recordLaunch({ ...held, number: 1, launch, argv: ["stale"], handle: null, at: 1900 }),
  recordWaiting: (store, held) =>
    store.recordWaiting({
      ...held,
      waiting: { type: "limited", limit: "maxAgents", max: 1 },
      at: 1900,
    }),
  endAttempt: (store, held) =>
    store.endAttempt({
      ...held,
      attempt: attempt(),
      retire: { provider: "scripted", handle: "h1", reason: "stale" },
      at: 1900,
    }),
  importMessages: (store, held) =>
    store.importMessages({ ...held, messages: [message("stale")], pin: pin("stale"), at: 1900 }),
  recordRestore: (store, held) => store.recordRestore({ ...held, pin: pin("stale"), at: 1900 }),
  finishTurn: (store, held) =>
    store.finishTurn(
      finish(held, { attempt: attempt(), messages: [message("stale")], pin: pin("stale") }),
    ),
};

export function fencingCases(open: Open): void {
  describe("an owner that was taken over", () => {
    for (const [verb, write] of Object.entries(writes))
      test(`cannot ${verb}, and changes nothing`, async () => {
        const { store, reopen } = await use(open);
        const stale = await hold(store, "t1", "a");
        await store.recordDecision({
          ...stale,
          number: 1,
          decision: blank,
          bumpEpoch: false,
          at: 1600,
        });
        const token = await (await reopen()).takeOver({ ...stale, owner: owner(2) });
        expect(token).toBe(stale.token + 1);

        const look = async () => ({
          turn: await store.readTurn("t1"),
          subject: await store.load({ key: "a", agent: "coder" }),
          events: await store.readEvents({ after: 0, limit: 100 }),
        });
        const before = await look();
        await expect(write(store, stale)).rejects.toMatchObject({ name: "FencedError" });
        expect(await look()).toEqual(before);
        expect(before.turn).toMatchObject({ status: "running", owner: owner(2), token });
      });

    test("of two takeovers at once, one succeeds", async () => {
      const { store, reopen } = await use(open);
      const stale = await hold(store, "t1", "a");
      const others = [await reopen(), await reopen(), await reopen()];
      const tokens = await Promise.all(
        others.map((other, index) => other.takeOver({ ...stale, owner: owner(index + 2) })),
      );
      expect(tokens.filter((token) => token !== null)).toEqual([stale.token + 1]);
      const winner = tokens.findIndex((token) => token !== null);
      expect(await store.readTurn("t1")).toMatchObject({ owner: owner(winner + 2) });
    });

    test("a queued turn is taken over too, and its caller can no longer end it", async () => {
      const { store } = await use(open);
      await hold(store, "t1", "a");
      const { token } = await store.openTurn(opening("t2", "a"));
      const stale = { turn: "t2", token };
      const next = await store.takeOver({ ...stale, owner: owner(2) });
      expect(next).toBe(token + 1);
      await expect(store.finishTurn(finish(stale, { status: "cancelled" }))).rejects.toMatchObject({
        name: "FencedError",
      });
      await store.finishTurn(finish({ turn: "t2", token: token + 1 }, { status: "interrupted" }));
      expect(await store.readTurn("t2")).toMatchObject({ status: "interrupted" });
    });
  });

  test("a queued turn can end, but nothing else is written for it", async () => {
    const { store } = await use(open);
    const { token } = await store.openTurn(opening("t1", "a"));
    const held = { turn: "t1", token };
    await expect(writes.recordDecision!(store, held)).rejects.toMatchObject({
      name: "FencedError",
    });
    await expect(writes.recordDecision!(store, held)).rejects.toMatchObject({
      name: "FencedError",
    });
  });

  test("an ended turn has no owner", async () => {
    const { store } = await use(open);
    const held = await hold(store, "t1", "a");
    await store.finishTurn(finish(held, { output: "first" }));
    expect(await store.takeOver({ ...held, owner: owner(2) })).toBeNull();
    await expect(store.finishTurn(finish(held, { output: "second" }))).rejects.toMatchObject({
      name: "FencedError",
    });
    expect(await store.readTurn("t1")).toMatchObject({ output: "first" });
    expect(await store.readSession("a")).toMatchObject({ turns: 1 });
    expect(await store.takeOver({ turn: "none", token: 0, owner: someone })).toBeNull();
  });
}
