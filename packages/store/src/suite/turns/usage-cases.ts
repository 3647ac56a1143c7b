/** Cases about the usage of turns. */

import type { Decision } from "@reprise/core/session/decision";
import type { Usage } from "@reprise/core/usage/usage";
import type { Store } from "../../store.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { attempt, blank, finish, hold, message, opening, reseed } from "../samples.ts";

const resume: Decision = {
  ...blank,
  outcome: "resume",
  reason: "all-hold",
  handle: { id: "h1", place: "/place" },
  prepare: [],
  catchUp: 0,
};

interface Turn {
  readonly key?: string;
  readonly agent?: string;
  readonly at?: number;
  readonly decision?: Decision;
  readonly usage?: Usage | null;
  readonly prompt?: string;
  readonly answer?: string;
}

const used = (cachedRead: number, uncached: number): Usage => ({
  cachedRead,
  cachedWrite: null,
  uncached,
  output: 1,
});

async function take(store: Store, id: string, turn: Turn): Promise<void> {
  const { key = "a", agent = "coder", at = 1000, decision = resume, usage = null } = turn;
  const held = await hold(store, id, key, { at, request: { agent } });
  await store.recordDecision({ ...held, number: 1, decision, bumpEpoch: false, at });
  const spoken = { agent, turn: id };
  await store.finishTurn(
    finish(held, {
      attempt: attempt({ usage }),
      usage,
      messages: [
        message(`${id}-asked`, {
          ...spoken,
          text: turn.prompt ?? "1234",
          opening: decision.outcome === "blank",
        }),
        message(`${id}-said`, { ...spoken, role: "assistant", text: turn.answer ?? "é" }),
      ],
      at: at + 1,
    }),
  );
}

export function usageCases(open: Open): void {
  describe("usage", () => {
    test("is empty without turns", async () => {
      const { store } = await use(open);
      await store.openTurn(opening("t1", "a"));
      for (const by of ["all", "session", "turn"] as const)
        expect(await store.sumUsage({ by })).toEqual([]);
    });

    test("is summed over turns, and a kind that was not reported is null, not zero", async () => {
      const { store } = await use(open);
      await take(store, "t1", { decision: blank, usage: used(0, 10) });
      await take(store, "t2", { usage: used(20, 3) });
      await take(store, "t3", { usage: null });
      expect(await store.sumUsage({ by: "session" })).toEqual([
        {
          key: "a",
          agent: "coder",
          provider: "scripted",
          turn: { id: "t3", seq: 3 },
          turns: 3,
          resume: 2,
          reseed: 0,
          blank: 1,
          refuse: 0,
          unreported: 1,
          usage: { cachedRead: 20, cachedWrite: null, uncached: 13, output: 2 },
          // Before the second turn: a prompt of four bytes and an answer of two; then its own prompt.
          compared: { turns: 1, bytes: 4 + 2 + 4, uncached: 3 },
        },
      ]);
    });

    test("a reseed would have sent what was said since the last blank turn", async () => {
      const { store } = await use(open);
      await take(store, "t1", { decision: blank, usage: used(0, 1), prompt: "x".repeat(1000) });
      await take(store, "t2", { decision: blank, usage: used(0, 1) });
      await take(store, "t3", { usage: { ...used(5, 1), cachedWrite: 6 } });
      await take(store, "t4", { decision: reseed, usage: used(0, 50) });
      const [fourth, third, second] = await store.sumUsage({ by: "turn", key: "a" });
      expect(third).toMatchObject({
        turn: { id: "t3", seq: 3 },
        compared: { turns: 1, bytes: 10, uncached: 7 },
      });
      const none = { compared: { turns: 0, bytes: 0, uncached: 0 } };
      expect(fourth).toMatchObject({ reseed: 1, ...none });
      expect(second).toMatchObject({ blank: 1, ...none });
      expect(await store.sumUsage({ by: "turn", key: "a", limit: 1 })).toEqual([fourth]);
    });

    test("can be restricted to a period, a key or an agent", async () => {
      const { store } = await use(open);
      await take(store, "t1", { decision: blank, at: 1000, usage: used(0, 1) });
      await take(store, "t2", { agent: "reviewer", at: 2000, usage: used(0, 10) });
      await take(store, "t3", { key: "b", decision: blank, at: 3000, usage: used(0, 100) });
      const uncached = async (query: Omit<Parameters<Store["sumUsage"]>[0], "by">) =>
        (await store.sumUsage({ by: "all", ...query })).map(({ usage }) => usage.uncached);
      expect(await uncached({})).toEqual([111]);
      expect(await uncached({ since: 2000 })).toEqual([110]);
      expect(await uncached({ key: "a" })).toEqual([11]);
      expect(await uncached({ agent: "coder" })).toEqual([101]);
      expect(await uncached({ agent: "coder", key: "a", since: 1001 })).toEqual([]);
      const sessions = await store.sumUsage({ by: "session" });
      expect(sessions.map(({ key, agent }) => [key, agent])).toEqual([
        ["a", "coder"],
        ["a", "reviewer"],
        ["b", "coder"],
      ]);
    });

    test("a refused turn reports nothing because nothing ran, and an open one is not counted", async () => {
      const { store } = await use(open);
      const error = { code: "over-budget", message: "", hint: "" };
      await take(store, "t1", { decision: { ...blank, outcome: "refuse", error } });
      await hold(store, "t2", "a");
      expect(await store.sumUsage({ by: "all" })).toMatchObject([
        { turns: 1, refuse: 1, unreported: 0, usage: { uncached: null } },
      ]);
    });
  });
}
