/** Cases about the event log: its order, its streams, and the events of every verb. */

import type { DoneBy, NewEvent } from "../contract/events.ts";
import { clock, type Open, use } from "./fixture.ts";
import { describe, expect, test } from "./runner.ts";
import {
  agent,
  agentClass,
  attempt,
  blank,
  claim,
  finish,
  hold,
  launch,
  message,
  opening,
  pin,
} from "./samples.ts";

export function eventCases(open: Open): void {
  const events = (...types: string[]): NewEvent[] =>
    types.map((type) => ({ type, data: { type } }));

  describe("events", () => {
    test("are appended at the expected position of the stream, or not at all", async () => {
      const { store, reopen } = await use(open);
      const append = { stream: "run:1", due: [], at: 10 };
      expect(
        await store.appendEvents({ ...append, expectedSeq: 0, events: events("a", "b") }),
      ).toBe(2);
      const late = { id: "d1", key: "k", at: 1, payload: null };
      await expect(
        (await reopen()).appendEvents({
          ...append,
          expectedSeq: 1,
          events: events("late"),
          due: [late],
        }),
      ).rejects.toMatchObject({ name: "StoreError", code: "conflict" });
      clock.now = 10;
      expect(await store.claimDue({ owner: "o", limit: 10 })).toEqual([]);
      expect(await store.appendEvents({ ...append, expectedSeq: 2, events: events("c") })).toBe(3);
      expect(await store.readEvents({ after: 0, limit: 10, stream: "run:1" })).toEqual([
        {
          seq: expect.any(Number),
          stream: "run:1",
          streamSeq: 1,
          type: "a",
          data: { type: "a" },
          at: 10,
        },
        {
          seq: expect.any(Number),
          stream: "run:1",
          streamSeq: 2,
          type: "b",
          data: { type: "b" },
          at: 10,
        },
        {
          seq: expect.any(Number),
          stream: "run:1",
          streamSeq: 3,
          type: "c",
          data: { type: "c" },
          at: 10,
        },
      ]);
    });

    test("are recorded at the end of the stream, and once if a call is repeated", async () => {
      const { store, reopen } = await use(open);
      const [event] = events("exported");
      const record = { stream: "session:a", event: event!, at: 10 };
      const append = { stream: "session:a", due: [], at: 9 };
      await store.appendEvents({ ...append, expectedSeq: 0, events: events("created") });
      await Promise.all([store, await reopen()].map((each) => each.recordEvent(record)));
      await store.recordEvent({ ...record, at: 11 });
      const stored = await store.readEvents({ after: 0, limit: 10, stream: "session:a" });
      expect(stored.map(({ streamSeq, type, at }) => [streamSeq, type, at])).toEqual([
        [1, "created", 9],
        [2, "exported", 10],
        [3, "exported", 11],
      ]);
    });

    test("get higher numbers after a reboot", async () => {
      const { store, reopen } = await use(open);
      const append = { stream: "run:1", due: [], at: 10 };
      expect(await store.recordBoot({ boot: "monday", at: 1 })).toBe(true);
      expect(await store.lastEvent()).toBe(0);
      await store.appendEvents({ ...append, expectedSeq: 0, events: events("a", "b") });
      const last = await store.lastEvent();
      expect(await (await reopen()).recordBoot({ boot: "monday", at: 2 })).toBe(false);
      expect(await store.lastEvent()).toBe(last);

      const others = await Promise.all([reopen(), reopen()]);
      const news = others.map((other) => other.recordBoot({ boot: "tuesday", at: 3 }));
      expect((await Promise.all(news)).toSorted()).toEqual([false, true]);
      await store.appendEvents({ ...append, expectedSeq: 2, events: events("c") });
      const stored = await store.readEvents({ after: last, limit: 10 });
      expect(stored.at(-1)).toMatchObject({ stream: "run:1", streamSeq: 3, type: "c" });
      expect(await store.lastEvent()).toBe(stored.at(-1)!.seq);
    });

    test("have one order over all streams, and can be read after any of them", async () => {
      const { store, reopen } = await use(open);
      const stores = [store, await reopen(), await reopen()];
      await Promise.all(
        stores.map(async (writer, index) => {
          for (let seq = 0; seq < 20; seq += 1)
            await writer.appendEvents({
              stream: `run:${index}`,
              expectedSeq: seq,
              events: events("step"),
              due: [],
              at: 1000 - seq,
            });
        }),
      );
      const seen: number[] = [];
      for (;;) {
        const page = await store.readEvents({ after: seen.at(-1) ?? 0, limit: 7 });
        if (page.length === 0) break;
        seen.push(...page.map(({ seq }) => seq));
      }
      expect(seen).toHaveLength(60);
      expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
      const whole = await store.readEvents({ after: 0, limit: 100, stream: "run:1" });
      expect(whole).toHaveLength(20);
      for (const after of seen)
        expect(await store.readEvents({ after, limit: 100, stream: "run:1" })).toEqual(
          whole.filter(({ seq }) => seq > after),
        );
    });

    test("name who did it, and leave it out if that is unknown", async () => {
      /** The events that have `by`, after every verb that takes it. */
      async function signed(who: DoneBy) {
        const { store } = await use(open);
        const key = "a";
        await store.createAgent({ ...agent(), ...who });
        await store.createClass({ ...agentClass(), ...who });
        await store.openTurn(opening("t1", key, { settings: { archiveAfter: "30d" }, ...who }));
        await store.finishTurn(finish(await claim(store, "t1"), { pin: pin("h1") }));
        const to = pin("h1", { folder: "/elsewhere" });
        const version = (await store.load({ key, agent: to.agent })).pinVersion!;
        await store.movePin({ key, version, to, ...who, at: 3000 });
        await store.setSession({ key, settings: { archiveAfter: null }, ...who, at: 3001 });
        await store.archiveSession({ key, reason: null, ...who, at: 3002 });
        await store.reviveSession({ key, ...who, at: 3003 });
        const page = { after: 0, limit: 100 };
        const used = await store.readEvents({ ...page, stream: "session:a" });
        await store.purgeSession({ key, ...who, at: 3004 });
        const token = { name: "ci", hash: "h1", ...who };
        await store.createToken({ ...token, role: "viewer", createdAt: 1, expiresAt: null });
        await store.rotateToken({ ...token, hash: "h2", at: 2, until: 2, lasts: null });
        await store.revokeToken({ name: "ci", ...who, at: 3 });
        for (const stream of ["agent:coder", "class:reviewer", "session:a", "token:ci"])
          used.push(...(await store.readEvents({ ...page, stream })));
        return used
          .filter(({ data }) => "by" in (data as object))
          .map(({ type, data }) => [type, data]);
      }
      expect(await signed({})).toEqual([]);
      const by = { by: "ann" };
      expect(await signed(by)).toMatchObject([
        ["session.set", { settings: { archiveAfter: "30d" }, ...by }],
        ["turn.opened", by],
        ["session.moved", by],
        ["session.set", { settings: { archiveAfter: null }, ...by }],
        ["session.archived", by],
        ["session.revived", by],
        ["agent.created", by],
        ["class.created", by],
        ["session.purged", by],
        ["token.created", by],
        ["token.rotated", by],
        ["token.revoked", by],
      ]);
    });

    test("say what every verb did, without the text of prompts and answers", async () => {
      const { store } = await use(open);
      await store.createAgent(agent());
      const held = await hold(store, "t1", "a", { request: { prompt: "SECRET prompt" } });
      const decided = { ...held, number: 1, decision: blank, bumpEpoch: false, at: 1600 };
      await store.recordDecision(decided);
      await store.importMessages({
        ...held,
        messages: [message("m1", { text: "SECRET native" })],
        pin: pin("h1"),
        at: 1660,
      });
      await store.recordLaunch({
        ...held,
        number: 1,
        launch,
        argv: ["agent", "SECRET"],
        handle: "h1",
        at: 1700,
      });
      await store.endAttempt({
        ...held,
        attempt: attempt({ ending: "rejected" }),
        retire: { provider: "scripted", handle: "h1", reason: "missing" },
        at: 1800,
      });
      const token = await store.takeOver({ ...held, owner: { ...ownerOf() } });
      await store.recordDecision({ ...decided, turn: "t1", token: token!, number: 2 });
      await store.finishTurn(
        finish(
          { turn: "t1", token: token! },
          {
            output: "SECRET answer",
            attempt: attempt({ number: 2 }),
            messages: [message("m2", { text: "SECRET answer" })],
            pin: pin("h2"),
          },
        ),
      );
      await store.purgeSession({ key: "none", at: 1 }).catch(() => {});

      const log = await store.readEvents({ after: 0, limit: 100 });
      expect(log.filter(({ stream }) => stream === "agent:coder")).toMatchObject([
        { type: "agent.created", streamSeq: 1 },
      ]);
      const stored = log.filter(({ stream }) => stream === "session:a");
      expect(stored.map(({ type }) => type)).toEqual([
        "session.created",
        "turn.opened",
        "turn.decided",
        "messages.imported",
        "session.pinned",
        "turn.launched",
        "attempt.ended",
        "handle.retired",
        "turn.decided",
        "attempt.ended",
        "session.pinned",
        "turn.finished",
      ]);
      expect(stored.map(({ streamSeq }) => streamSeq)).toEqual(stored.map((_, index) => index + 1));
      expect(log).toHaveLength(1 + stored.length);
      expect(JSON.stringify(log)).not.toContain("SECRET");
    });
  });
}

function ownerOf() {
  return { host: "host", boot: "boot", pid: 2, start: "200" };
}
