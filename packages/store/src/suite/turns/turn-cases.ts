/** Cases about the life of one turn, and about finding turns. */

import type { ProcessIdentity, Turn } from "@reprise/core/session/turn";
import type { OpenTurnQuery } from "../../contract/turns.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { creation } from "../runs/run-samples.ts";
import {
  attempt,
  blank,
  claim,
  finish,
  hold,
  launch,
  opening,
  owner,
  reseed,
  someone,
} from "../samples.ts";

const three = owner(3);

export function turnCases(open: Open): void {
  describe("turns", () => {
    test("are written as queued, and the same id opens only one", async () => {
      const { store } = await use(open);
      const turn = await store.openTurn(opening("t1", "a"));
      expect(turn).toEqual({
        id: "t1",
        seq: 1,
        epoch: 0,
        status: "queued",
        request: opening("t1", "a").request,
        provider: "scripted",
        acknowledged: false,
        owner: someone,
        token: 0,
        attempts: [],
        asked: null,
        askedAt: null,
        answer: null,
        answered: null,
        output: null,
        error: null,
        usage: null,
        notices: [],
        openedAt: 1000,
        startedAt: null,
        endedAt: null,
      });
      expect(await store.readTurn("t1")).toEqual(turn);
      expect(await store.openTurn(opening("t1", "a", { busy: "fail", at: 1100 }))).toEqual(turn);
      expect(await store.listTurns({ key: "a", limit: 10 })).toHaveLength(1);
    });

    test("keep everything that happened in them", async () => {
      const { store, reopen } = await use(open);
      const held = await hold(store, "t1", "a");
      const usage = { cachedRead: 1, cachedWrite: 2, uncached: 3, output: 4 };
      const error = { code: "missing", message: "It is gone.", hint: "Nothing to do." };
      const notice = { code: "reseeded", text: "Started again from the transcript." };
      const argv = ["agent", "--resume", "h1"];
      await store.recordDecision({
        ...held,
        number: 1,
        decision: blank,
        bumpEpoch: false,
        at: 1600,
      });
      await store.recordLaunch({ ...held, number: 1, launch, argv, handle: "h1", at: 1700 });
      const rejected = attempt({ ending: "rejected", exit: "1", error, tools: true });
      await store.endAttempt({ ...held, attempt: rejected, retire: null, at: 1800 });
      await store.recordDecision({
        ...held,
        number: 2,
        decision: reseed,
        bumpEpoch: false,
        at: 1900,
      });
      await store.recordLaunch({
        ...held,
        number: 2,
        launch,
        argv: ["agent"],
        handle: null,
        at: 1950,
      });
      const confirmed = attempt({ number: 2, handle: "h2", usage });
      const finished = finish(held, {
        output: "Done.",
        usage,
        notices: [notice],
        attempt: confirmed,
      });
      const ended = await store.finishTurn(finished);

      expect(ended).toEqual({ turn: await (await reopen()).readTurn("t1"), next: null });
      expect(ended.turn).toMatchObject({
        status: "done",
        output: "Done.",
        usage,
        notices: [notice],
        startedAt: 1500,
        endedAt: 2000,
        attempts: [
          {
            number: 1,
            decision: blank,
            launch,
            argv,
            handle: "h1",
            exit: "1",
            ending: "rejected",
            error,
            usage: null,
            tools: true,
            startedAt: 1700,
            endedAt: 1800,
          },
          {
            number: 2,
            decision: reseed,
            launch,
            argv: ["agent"],
            handle: "h2",
            exit: "0",
            ending: "confirmed",
            error: null,
            usage,
            tools: false,
            startedAt: 1950,
            endedAt: 2000,
          },
        ],
      });
    });

    test("may be decided again until the attempt ends", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      const record = { ...held, number: 1, bumpEpoch: false, at: 1600 };
      await store.recordDecision({ ...record, decision: blank });
      await store.recordLaunch({
        ...held,
        number: 1,
        launch,
        argv: ["agent"],
        handle: "h1",
        at: 1700,
      });
      await store.recordDecision({ ...record, decision: reseed });
      expect((await store.readTurn("t1"))?.attempts).toMatchObject([
        { number: 1, decision: reseed, launch: null, argv: null, handle: null, ending: null },
      ]);
      await store.endAttempt({ ...held, attempt: attempt(), retire: null, at: 1800 });
      await expect(store.recordDecision({ ...record, decision: blank })).rejects.toThrow(
        "already ended",
      );
      await expect(
        store.recordLaunch({ ...held, number: 1, launch, argv: [], handle: null, at: 1900 }),
      ).rejects.toThrow("no open attempt");
    });

    test("S20: that were interrupted before anything was started can be queued again, once", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      const decided = { ...held, number: 1, decision: blank, bumpEpoch: false, at: 1600 };
      await store.recordDecision(decided);
      await store.recordLaunch({ ...held, number: 1, launch, argv: ["x"], handle: "h", at: 1700 });
      const ended = attempt({ ending: "interrupted", handle: null, exit: null, started: false });
      await store.finishTurn(finish(held, { status: "interrupted", attempt: ended }));
      expect(await store.readTurn("t1")).toMatchObject({
        attempts: [{ launch: null, argv: null }],
      });

      const reopened = await store.reopenTurn({ turn: "t1", owner: someone, at: 3000 });
      expect(reopened).toMatchObject({ status: "queued", seq: 1, attempts: [], endedAt: null });
      expect(await store.readSession("a")).toMatchObject({ turns: 0 });
      const again = await store.reopenTurn({ turn: "t1", owner: someone, at: 3100 });
      expect(again).toEqual(reopened);
      await expect(store.reopenTurn({ turn: "none", owner: someone, at: 1 })).rejects.toMatchObject(
        { code: "no-turn" },
      );
    });

    test("S20: that may have been started are never queued again", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      const decided = { ...held, number: 1, decision: blank, bumpEpoch: false, at: 1600 };
      await store.recordDecision(decided);
      await store.recordLaunch({ ...held, number: 1, launch, argv: ["x"], handle: "h", at: 1700 });
      const ended = attempt({ ending: "interrupted", exit: null });
      await store.finishTurn(finish(held, { status: "interrupted", attempt: ended }));
      const before = await store.readTurn("t1");
      expect(await store.reopenTurn({ turn: "t1", owner: someone, at: 3000 })).toEqual(before);
    });

    test("are found by the beginning of their id", async () => {
      const { store } = await use(open);
      for (const id of ["abd", "abc", "ab", "b", "a%c"])
        await store.openTurn(opening(id, `key-${id.length}-${id.charCodeAt(1) || 0}`));
      expect(await store.findTurns("ab", 10)).toEqual(["ab", "abc", "abd"]);
      expect(await store.findTurns("ab", 2)).toEqual(["ab", "abc"]);
      expect(await store.findTurns("a%", 10)).toEqual(["a%c"]);
      expect(await store.findTurns("c", 10)).toEqual([]);
      expect(await store.readTurn("c")).toBeNull();
    });

    test("of a key are listed newest first, in pages", async () => {
      const { store } = await use(open);
      for (const id of ["t1", "t2", "t3"]) await store.openTurn(opening(id, "a"));
      await store.openTurn(opening("t4", "b"));
      const seqs = async (query: { before?: number; limit: number }) =>
        (await store.listTurns({ key: "a", ...query })).map(({ seq }) => seq);
      expect(await seqs({ limit: 10 })).toEqual([3, 2, 1]);
      expect(await seqs({ limit: 2 })).toEqual([3, 2]);
      expect(await seqs({ before: 2, limit: 2 })).toEqual([1]);
    });

    test("that are open are listed oldest first", async () => {
      const { store, reopen } = await use(open);
      await store.openTurn(opening("t3", "c", { at: 3000 }));
      const first = await hold(store, "t1", "a", { at: 1000 });
      await hold(store, "t2", "b", { at: 2000 });
      await store.openTurn(opening("t4", "b", { at: 4000, busy: "skip" }));
      const ids = async () =>
        (await (await reopen()).listOpenTurns({ limit: 99 })).map(({ id }) => id);
      expect(await ids()).toEqual(["t1", "t2", "t3"]);
      await store.finishTurn(finish(first));
      expect(await ids()).toEqual(["t2", "t3"]);
    });

    test("that are open are listed by page, session and run", async () => {
      const { store } = await use(open);
      const origin = { run: "r1", node: "n", execution: "n" };
      await store.openTurn(opening("t1", "a", { at: 1000, request: { origin } }));
      await store.openTurn(opening("t2", "a", { at: 1000 }));
      await store.openTurn(opening("t3", "b", { at: 1000 }));
      await store.openTurn(opening("t4", "a", { at: 2000 }));
      const pages: string[][] = [];
      for (let after: Turn | undefined; pages.at(-1)?.length !== 0; ) {
        const page = await store.listOpenTurns({ ...(after && { after }), limit: 3 });
        pages.push(page.map(({ id }) => id));
        after = page.at(-1) ?? after;
      }
      expect(pages).toEqual([["t1", "t2", "t3"], ["t4"], []]);
      const ids = async (query: Omit<OpenTurnQuery, "limit">) =>
        (await store.listOpenTurns({ ...query, limit: 9 })).map(({ id }) => id);
      expect(await ids({ key: "a" })).toEqual(["t1", "t2", "t4"]);
      expect(await ids({ heads: true })).toEqual(["t1", "t3"]);
      expect(await ids({ key: "a", heads: true })).toEqual(["t1"]);
      expect(await ids({ run: "r1" })).toEqual(["t1"]);
    });

    test("that no process works on are found by their owners", async () => {
      const { store } = await use(open);
      const [one, two] = [owner(1), owner(2)];
      const running = await hold(store, "running", "a", { owner: one });
      await store.openTurn(opening("queued", "b", { owner: two }));
      await store.openTurn(opening("acknowledged", "a", { owner: one, busy: "queue" }));
      const asking = await hold(store, "asking", "c", { owner: one });
      await store.finishTurn(finish(asking, { status: "waiting" }));
      const free = await store.openTurn(opening("free", "d", { owner: one }));
      await store.takeOver({ turn: "free", token: free.token, owner: null });
      const ids = async (leftBy: ProcessIdentity[]) =>
        (await store.listOpenTurns({ leftBy, limit: 9 })).map(({ id }) => id).sort();
      expect(await ids([])).toEqual(["acknowledged", "free"]);
      expect(await ids([one])).toEqual(["acknowledged", "free", "running"]);
      expect(await ids([one, two])).toEqual(["acknowledged", "free", "queued", "running"]);
      const owners = async () => (await store.listOwners()).map(({ pid }) => pid).sort();
      expect(await owners()).toEqual([1, 2]);
      await store.takeOver({ ...running, owner: three });
      expect(await owners()).toEqual([1, 2, 3]);
      expect((await store.listOwners()).find(({ pid }) => pid === 3)).toEqual(three);
    });

    test("are read by the same statements, however many are open", async () => {
      const { store, reopen, statements = () => 0 } = await use(open);
      const reader = await reopen();
      const counted = async () => {
        const before = statements();
        await reader.listOpenTurns({ limit: 200 });
        await reader.listOpenTurns({ heads: true, leftBy: await reader.listOwners(), limit: 200 });
        await reader.listActiveRuns({ leftBy: [], limit: 200 });
        return statements() - before;
      };
      await hold(store, "t0", "k0");
      await store.createRun(creation("r0"));
      const few = await counted();
      for (let number = 1; number < 40; number += 1) {
        await store.openTurn(opening(`t${number}`, `k${number % 5}`, { busy: "queue" }));
        await store.createRun(creation(`r${number}`));
      }
      expect(await reader.listOpenTurns({ limit: 200 })).toHaveLength(40);
      expect(await counted()).toBe(few);
    });

    test("that wait for a person keep the session", async () => {
      const { store } = await use(open);
      const held = await hold(store, "t1", "a");
      const { turn } = await store.finishTurn(finish(held, { status: "waiting" }));
      expect(turn).toMatchObject({ id: "t1", status: "waiting", endedAt: null });
      await store.openTurn(opening("t2", "a"));
      expect(await store.claimTurn({ turn: "t2", owner: someone, at: 2100 })).toMatchObject({
        granted: false,
        behind: { id: "t1" },
      });
      const token = await store.takeOver({ ...held, owner: someone });
      await store.finishTurn(finish({ turn: "t1", token: token ?? -1 }));
      expect(await store.readSession("a")).toMatchObject({ turns: 1, lastStatus: "done" });
      await claim(store, "t2");
    });
  });
}
