/** Cases with unreliable deliveries: calls that are repeated or overlap double and lose nothing. */

import type { ProcessIdentity } from "@reprise/core/session/turn";
import type { Store } from "../store.ts";
import { chaotic } from "./chaotic.ts";
import { clock, type Open, use } from "./fixture.ts";
import { randomFrom } from "./random.ts";
import { describe, expect, test } from "./runner.ts";
import { attempt, blank, finish, launch, message, opening, owner, pin } from "./samples.ts";

const seeds = [1, 2, 3, 4, 5];
const keys = ["a", "b", "c"];
const never = new AbortController().signal;

export function chaosCases(open: Open): void {
  describe("chaos", () => {
    test.each(seeds)("turns of three workers on three keys, seed %i", async (seed) => {
      const { store, reopen } = await use(open);
      const turns = 12;
      await Promise.all(
        [1, 2, 3].map(async (worker) => {
          const mine = chaotic(await reopen(), seed * 10 + worker);
          const random = randomFrom(seed * 100 + worker);
          for (let number = 0; number < turns; number += 1)
            await takeTurn(mine, `w${worker}-${number}`, keys[number % 3]!, worker, random);
        }),
      );

      expect(await store.listOpenTurns({ limit: 99 })).toEqual([]);
      for (const key of keys) {
        const all = (await store.listTurns({ key, limit: 100 })).toReversed();
        expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
        expect(all).toHaveLength(turns);
        expect(
          all.every(({ status, attempts }) => status === "done" && attempts.length === 1),
        ).toBe(true);
        const transcript = await store.readTranscript(key);
        expect(transcript.map(({ id }) => id)).toEqual(
          all.flatMap(({ id }) => [`${id}-prompt`, `${id}-answer`]),
        );
        expect(await store.readSession(key)).toMatchObject({ turns, epoch: turns });

        const log = await store.readEvents({ after: 0, limit: 10_000, stream: `session:${key}` });
        const of = (type: string) => log.filter((event) => event.type === type).length;
        expect(of("session.created")).toBe(1);
        expect(of("turn.opened")).toBe(turns);
        expect(of("attempt.ended")).toBe(turns);
        expect(of("turn.finished")).toBe(turns);
      }
    });

    test.each(seeds)("what is due, consumed by three owners, seed %i", async (seed) => {
      const { store, reopen } = await use(open);
      const writer = chaotic(store, seed);
      const rows = Array.from({ length: 30 }, (_, index) => ({
        id: `d${index}`,
        key: keys[index % 3]!,
        at: index,
        payload: index,
      }));
      for (const [index, row] of rows.entries())
        await writer.appendEvents({
          stream: "source",
          expectedSeq: index,
          events: [{ type: "wanted", data: row.id }],
          due: [row],
          at: 0,
        });

      const consumers = await Promise.all(
        [1, 2, 3].map(async (number) => chaotic(await reopen(), seed * 10 + number)),
      );
      const random = randomFrom(seed);
      clock.now = 1000;
      for (let idle = 0; idle < 5; ) {
        const index = Math.floor(random() * consumers.length);
        const consumer = consumers[index]!;
        const claimed = await consumer.claimDue({ owner: `consumer-${index}`, limit: 2 });
        idle = claimed.length === 0 ? idle + 1 : 0;
        for (const { id, key } of claimed) {
          await consume(consumer, key, id);
          // Some die before they settle, some fail once.
          const fate = random();
          if (fate < 0.2) continue;
          const again = fate < 0.3 ? clock.now : null;
          await consumer.settleDue({ id, owner: `consumer-${index}`, again });
        }
        clock.now += 61_000 * Math.ceil(random() * 3);
      }

      for (const key of keys) {
        const done = await store.readEvents({ after: 0, limit: 1000, stream: `done:${key}` });
        expect(done.map(({ data }) => data)).toEqual(
          rows.filter((row) => row.key === key).map(({ id }) => id),
        );
      }
    });
  });
}

/** One turn through a transport that repeats. */
async function takeTurn(
  store: Store,
  id: string,
  key: string,
  worker: number,
  random: () => number,
): Promise<void> {
  const me = owner(worker);
  await store.openTurn(opening(id, key, { owner: me, busy: random() < 0.5 ? "queue" : "wait" }));
  for (;;) {
    const mark = await store.changes(0, never);
    const token = await tokenFor(store, id, me);
    if (token === null) {
      await store.changes(mark, never);
      continue;
    }
    const held = { turn: id, token };
    await store.recordDecision({
      ...held,
      number: 1,
      decision: blank,
      bumpEpoch: true,
      at: 1600,
    });
    await store.recordLaunch({ ...held, number: 1, launch, argv: ["agent"], handle: id, at: 1700 });
    await store.importMessages({
      ...held,
      messages: [message(`${id}-prompt`, { turn: id })],
      pin: pin(id),
      at: 1800,
    });
    await store.finishTurn(
      finish(held, {
        attempt: attempt({ handle: id }),
        messages: [message(`${id}-answer`, { turn: id, role: "assistant" })],
        pin: pin(id),
      }),
    );
    return;
  }
}

/** A turn that is behind itself was granted by a call whose answer was lost: its owner takes it over. */
async function tokenFor(store: Store, turn: string, me: ProcessIdentity): Promise<number | null> {
  const claim = await store.claimTurn({ turn, owner: me, at: 1500 });
  if (claim.granted) return claim.token;
  if (claim.behind.id !== turn) return null;
  return store.takeOver({ turn, token: claim.behind.token, owner: me });
}

/** A consumer that records its work in the store notices that a row came again. */
async function consume(store: Store, key: string, id: string): Promise<void> {
  const stream = `done:${key}`;
  const done = await store.readEvents({ after: 0, limit: 1000, stream });
  if (done.some(({ data }) => data === id)) return;
  await store.appendEvents({
    stream,
    expectedSeq: done.length,
    events: [{ type: "done", data: id }],
    due: [],
    at: 0,
  });
}
