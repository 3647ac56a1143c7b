/** Cases about the verbs that do several steps of a turn at once: it is begun, decided and launched. */

import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import {
  agent,
  attempt,
  blank,
  claim,
  finish,
  hold,
  launch,
  opening,
  owner,
  pin,
  reseed,
  someone,
} from "../samples.ts";

export function beginCases(open: Open): void {
  const launching = { number: 1, launch, argv: ["agent"], handle: "h1", at: 1700 } as const;

  describe("a turn that is begun", () => {
    test("owns a free session at once, and knows what a decision needs", async () => {
      const { store, reopen } = await use(open);
      const first = await hold(store, "t1", "a");
      await store.finishTurn(finish(first, { pin: pin("h1") }));
      const { turn, facts, behind } = await store.beginTurn(opening("t2", "a"));
      expect(turn).toMatchObject({ id: "t2", seq: 2, status: "running", owner: someone, token: 1 });
      expect(behind).toBeNull();
      const other = await reopen();
      expect(await other.readTurn("t2")).toEqual(turn);
      expect(await other.load({ key: "a", agent: "coder", turn: "t2" })).toEqual(facts);
      expect(facts?.pin).toMatchObject({ handle: { id: "h1" } });
      const ask = await other.claimTurn({ turn: "t2", owner: owner(2), at: 1600 });
      expect(ask).toMatchObject({ granted: false, behind: { id: "t2" } });
      await store.finishTurn(finish({ turn: "t2", token: turn.token }));
    });

    test("is queued behind another, or skipped, and says which one is ahead", async () => {
      const { store } = await use(open);
      await hold(store, "t1", "a");
      expect(await store.beginTurn(opening("t2", "a"))).toMatchObject({
        turn: { status: "queued", token: 0 },
        facts: null,
        behind: { id: "t1" },
      });
      expect(await store.beginTurn(opening("t3", "a", { busy: "skip" }))).toMatchObject({
        turn: { status: "skipped" },
        facts: null,
        behind: { id: "t1" },
      });
      await expect(store.beginTurn(opening("t4", "a", { busy: "fail" }))).rejects.toMatchObject({
        code: "busy",
      });
      expect(await store.readTurn("t4")).toBeNull();
    });

    test("waits for a provider session that another key uses", async () => {
      const { store } = await use(open);
      for (const [id, key] of [
        ["t1", "a"],
        ["t2", "b"],
      ] as const)
        await store.finishTurn(finish(await hold(store, id, key), { pin: pin("h1") }));
      await store.beginTurn(opening("t3", "a"));
      expect(await store.beginTurn(opening("t4", "b"))).toMatchObject({
        turn: { status: "queued" },
        behind: { id: "t3" },
      });
    });

    test("is not claimed by a second call with its id", async () => {
      const { store } = await use(open);
      const { turn } = await store.beginTurn(opening("t1", "a"));
      const again = await store.beginTurn(opening("t1", "a", { owner: owner(2) }));
      expect(again).toEqual({ turn, facts: null, behind: null });
    });

    test("is decided with the settings that it gave its session", async () => {
      const { store } = await use(open);
      const settings = { maxTokens: 5 };
      const { facts } = await store.beginTurn(opening("t1", "a", { settings }));
      expect(facts?.session?.settings).toEqual(settings);
    });
  });

  test("a claim reads the agent, and what a decision needs", async () => {
    const { store } = await use(open);
    await store.createAgent(agent());
    await store.openTurn(opening("t1", "a"));
    const granted = await store.claimTurn({ turn: "t1", owner: someone, at: 1500 });
    expect(granted).toMatchObject({ granted: true, agent: agent() });
    const facts = await store.load({ key: "a", agent: "coder", turn: "t1" });
    expect(granted).toMatchObject({ facts });
  });

  describe("a launch with its decision", () => {
    const decided = { decision: reseed, bumpEpoch: true };

    test("is written at once, and returned", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      const written = await store.recordLaunch({ ...held, ...launching, decided });
      expect(written).toMatchObject({ number: 1, decision: reseed, launch, handle: "h1" });
      const stored = await store.readTurn("t1");
      expect(stored?.attempts).toEqual([written]);
      expect(stored?.epoch).toBe(1);
    });

    test("leaves nothing behind if no agent may be started now", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      const limit = { host: "h", max: 0 };
      expect(await store.recordLaunch({ ...held, ...launching, decided, limit })).toBeNull();
      expect(await store.readTurn("t1")).toMatchObject({ attempts: [], epoch: 0 });
    });
  });

  test("the last launch of a key is known, without the turn that is decided about", async () => {
    const { store } = await use(open);
    const lastLaunch = async (turn?: string) =>
      (await store.load({ key: "a", agent: "coder", ...(turn && { turn }) })).lastLaunch;
    expect(await lastLaunch()).toBeNull();
    const decided = { decision: blank, bumpEpoch: false };
    for (const id of ["t1", "t2"]) {
      const held = await hold(store, id, "a");
      const folder = `/project/${id}`;
      await store.recordLaunch({ ...held, ...launching, launch: { ...launch, folder }, decided });
      await store.finishTurn(finish(held, { attempt: attempt() }));
    }
    await store.finishTurn(finish(await hold(store, "t3", "a")));
    expect(await lastLaunch()).toEqual({ turn: "t2", folder: "/project/t2" });
    expect(await lastLaunch("t2")).toEqual({ turn: "t1", folder: "/project/t1" });
    await store.openTurn(opening("t4", "a"));
    await claim(store, "t4");
  });

  test("the agent of a call is the named one, else the session's, else another", async () => {
    const { store } = await use(open);
    await store.createAgent(agent());
    await store.openTurn(opening("t1", "a"));
    const find = (key: string, named: string | null, otherwise: string | null) =>
      store.findAgent({ key, named, otherwise });
    expect(await find("a", null, "reviewer")).toEqual({ name: "coder", agent: agent() });
    expect(await find("a", "reviewer", null)).toEqual({ name: "reviewer", agent: null });
    expect(await find("b", null, "coder")).toEqual({ name: "coder", agent: agent() });
    expect(await find("b", null, null)).toEqual({ name: null, agent: null });
  });
}
