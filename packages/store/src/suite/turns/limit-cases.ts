/** Cases about used-up limits of accounts, and about turns that go to another agent. */

import type { Decision } from "@reprise/core/session/decision";
import type { Store } from "../../store.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { agent, attempt, blank, claim, finish, hold, launch, opening, pin } from "../samples.ts";

/** A launched turn of an agent with that account. */
async function launched(
  store: Store,
  id: string,
  {
    account = "a1",
    agent = "coder",
    at = 1000,
  }: { account?: string | null; agent?: string; at?: number } = {},
) {
  const held = await hold(store, id, id, { at, request: { agent } });
  const decided = { decision: blank, bumpEpoch: false };
  const facts = { launch: { ...launch, account }, argv: [], handle: null };
  await store.recordLaunch({ ...held, number: 1, decided, ...facts, at });
  return held;
}

async function limitIt(
  store: Store,
  id: string,
  until: number,
  more: Parameters<typeof launched>[2] = {},
) {
  const held = await launched(store, id, more);
  const ended = attempt({ ending: "transient", limitedUntil: until });
  await store.finishTurn(finish(held, { status: "failed", attempt: ended, at: 2000 }));
}

export function limitCases(open: Open): void {
  const found = async (store: Store, at = 0) =>
    (await store.listLimits({ at })).map(({ account, until, turn }) => [account, until, turn]);

  describe("limits", () => {
    test("are remembered for the account with the end of the attempt, and loaded with a session", async () => {
      const { store } = await use(open);
      await store.createAgent(agent());
      await store.createAgent(agent({ name: "other", provider: "claude" }));
      await limitIt(store, "t1", 9000);
      const limit = {
        ...{ provider: "scripted", account: "a1", until: 9000 },
        ...{ turn: "t1", agent: "coder", at: 2000 },
      };
      expect(await store.listLimits({ at: 0 })).toEqual([limit]);
      expect(await store.listLimits({ at: 8999 })).toHaveLength(1);
      expect(await store.listLimits({ at: 9000 })).toEqual([]);
      expect((await store.load({ key: "any", agent: "coder" })).limits).toEqual([limit]);
      expect((await store.load({ key: "any", agent: "other" })).limits).toEqual([]);
      const events = await store.readEvents({ after: 0, limit: 100 });
      const data = { turn: "t1", agent: "coder", provider: "scripted", until: 9000 };
      expect(events.filter(({ type }) => type === "account.limited")).toMatchObject([{ data }]);
    });

    test("of an unknown account are forgotten, and the newest of an account counts", async () => {
      const { store } = await use(open);
      await limitIt(store, "t1", 9000, { account: null });
      expect(await found(store)).toEqual([]);
      await limitIt(store, "t2", 9000);
      await limitIt(store, "t3", 7000);
      await limitIt(store, "t4", 8000, { account: "a2" });
      expect(await found(store)).toEqual([
        ["a1", 7000, "t3"],
        ["a2", 8000, "t4"],
      ]);
    });

    test("end with a success of the account that began after they were found", async () => {
      const { store } = await use(open);
      const before = await launched(store, "t1", { at: 1999 });
      const other = await launched(store, "t2", { account: "a2", at: 3000 });
      const after = await launched(store, "t3", { at: 3000 });
      await limitIt(store, "t4", 9000);
      for (const held of [before, other])
        await store.finishTurn(finish(held, { attempt: attempt(), at: 4000 }));
      expect(await found(store)).toHaveLength(1);
      await store.finishTurn(finish(after, { attempt: attempt(), at: 4000 }));
      expect(await found(store)).toEqual([]);
    });

    test("are remembered too when another attempt follows", async () => {
      const { store } = await use(open);
      const held = await launched(store, "t1");
      const ended = attempt({ ending: "transient", limitedUntil: 9000 });
      await store.endAttempt({ ...held, attempt: ended, retire: null, at: 2000 });
      expect(await found(store)).toEqual([["a1", 9000, "t1"]]);
    });
  });

  describe("a turn that goes to another agent", () => {
    const { request } = opening("t1", "k", { request: { agent: "other" } });
    const to = { request, provider: "claude", at: 3000 };

    test("is queued for it, with the leases of its provider session", async () => {
      const { store } = await use(open);
      const own = await hold(store, "t0", "k2", { request: { agent: "other" } });
      await store.recordDecision({ ...own, number: 1, decision: blank, bumpEpoch: false, at: 1 });
      await store.finishTurn(
        finish(own, { attempt: attempt(), pin: pin("h1", { agent: "other" }) }),
      );
      const held = await hold(store, "t1", "k");
      const decision: Decision = {
        ...blank,
        quota: { action: "switch", agent: "other", until: 9000 },
      };
      await store.recordDecision({ ...held, number: 1, decision, bumpEpoch: false, at: 1 });
      await store.requeueTurn({ ...held, to });
      expect(await store.readTurn("t1")).toMatchObject({
        status: "queued",
        owner: null,
        provider: "claude",
        request: { agent: "other" },
      });
      const claimed = await claim(store, "t1");
      expect(claimed.token).toBeGreaterThan(held.token);
      await store.finishTurn(finish(claimed));
      expect(await store.readSession("k")).toMatchObject({ agent: "other", provider: "claude" });
      const switched = (await store.readEvents({ after: 0, limit: 100 })).filter(
        ({ type }) => type === "turn.switched",
      );
      expect(switched).toMatchObject([{ data: { turn: "t1", from: "coder", agent: "other" } }]);
    });
  });
}
