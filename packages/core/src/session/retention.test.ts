import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type KeptSession, planRetention, type RetentionPolicy } from "./retention.ts";

const day = 24 * 3600 * 1000;
const now = 1000 * day;
const usual: RetentionPolicy = { pruneAfter: 180 * day, maxEntries: 5000 };

function session(key: string, kept: Partial<KeptSession> = {}): KeptSession {
  return {
    key,
    usedAt: now - day,
    archivedAt: null,
    heldBy: [],
    inUse: false,
    archiveAfter: null,
    ...kept,
  };
}

const plan = (sessions: KeptSession[], policy: Partial<RetentionPolicy> = {}) =>
  planRetention(sessions, { ...usual, ...policy }, now);
const brief = (sessions: KeptSession[], policy: Partial<RetentionPolicy> = {}) =>
  plan(sessions, policy).steps.map(({ action, key }) => `${action} ${key}`);

describe("archiving", () => {
  test.each<[string, Partial<KeptSession>, boolean]>([
    ["never, by default", { usedAt: 0 }, false],
    ["not before its time", { usedAt: now - 30 * day + 1, archiveAfter: 30 * day }, false],
    ["at its time", { usedAt: now - 30 * day, archiveAfter: 30 * day }, true],
    ["not again", { usedAt: 0, archiveAfter: 1, archivedAt: now - day }, false],
    ["not with a clock that was put back", { usedAt: now + 99 * day, archiveAfter: 1 }, false],
    ["not while it is held", { usedAt: 0, archiveAfter: 1, heldBy: ["gate"] }, false],
    ["not while it is in use", { usedAt: 0, archiveAfter: 1, inUse: true }, false],
  ])("%s", (_, kept, expected) => {
    expect(brief([session("a", kept)])).toEqual(expected ? ["archive a"] : []);
  });

  test("says why", () => {
    const kept = { usedAt: now - 31 * day - 5, archiveAfter: 30 * day };
    expect(plan([session("a", kept)]).steps).toEqual([
      { key: "a", action: "archive", reason: "unused for 31d, archiveAfter is 30d" },
    ]);
  });
});

describe("purging", () => {
  test.each<[string, Partial<KeptSession>, boolean]>([
    ["only what is archived", { usedAt: 0 }, false],
    ["not before its time", { archivedAt: now - 180 * day + 1 }, false],
    ["at its time, counted from the archiving", { usedAt: 0, archivedAt: now - 180 * day }, true],
    ["not with a clock that was put back", { archivedAt: now + 999 * day }, false],
    ["not while it is held", { archivedAt: 0, heldBy: ["gate"] }, false],
    ["not while it is in use", { archivedAt: 0, inUse: true }, false],
  ])("%s", (_, kept, expected) => {
    expect(brief([session("a", kept)])).toEqual(expected ? ["purge a"] : []);
  });

  test("never, where the policy says so", () => {
    expect(brief([session("a", { archivedAt: 0 })], { pruneAfter: null })).toEqual([]);
  });

  test("what is due and left alone is listed with its protection", () => {
    const sessions = [
      session("a", { archivedAt: now - 200 * day, heldBy: ["gate", "me"] }),
      session("b", { usedAt: now - 9 * day, archiveAfter: day, inUse: true }),
    ];
    expect(plan(sessions)).toEqual({
      steps: [],
      spared: [
        {
          key: "a",
          action: "purge",
          reason: "archived for 200d, prune.after is 180d, but held by gate, me",
        },
        {
          key: "b",
          action: "archive",
          reason: "unused for 9d, archiveAfter is 1d, but in use",
        },
      ],
    });
  });
});

describe("a maximum of archived ones", () => {
  const archived = (key: string, days: number, kept: Partial<KeptSession> = {}) =>
    session(key, { archivedAt: now - days * day, ...kept });

  test("those that were archived first go", () => {
    const sessions = [archived("a", 1), archived("b", 3), archived("c", 2), session("live")];
    expect(plan(sessions, { maxEntries: 1 }).steps).toEqual([
      { key: "b", action: "purge", reason: "3 sessions are archived, prune.maxEntries is 1" },
      { key: "c", action: "purge", reason: "3 sessions are archived, prune.maxEntries is 1" },
    ]);
    expect(brief(sessions, { maxEntries: 3 })).toEqual([]);
    expect(brief(sessions, { maxEntries: null })).toEqual([]);
  });

  test("what goes by age counts no more, and what is held counts but stays", () => {
    const sessions = [archived("old", 200), archived("held", 90, { heldBy: ["gate"] })];
    expect(brief([...sessions, archived("new", 1)], { maxEntries: 2 })).toEqual(["purge old"]);
    expect(brief([...sessions, archived("new", 1)], { maxEntries: 1 })).toEqual([
      "purge old",
      "purge new",
    ]);
  });

  test("sessions that are not archived are never too many", () => {
    const live = Array.from({ length: 20 }, (_, index) => session(`s${index}`, { usedAt: 0 }));
    expect(brief(live, { maxEntries: 1 })).toEqual([]);
  });
});

const anySession: fc.Arbitrary<Omit<KeptSession, "key">> = fc.record({
  usedAt: fc.integer({ min: 0, max: 2 * now }),
  archivedAt: fc.option(fc.integer({ min: 0, max: 2 * now })),
  heldBy: fc.array(fc.constantFrom("gate", "me"), { maxLength: 2 }),
  inUse: fc.boolean(),
  archiveAfter: fc.option(fc.integer({ min: 1, max: now })),
});
const anySessions = fc
  .array(anySession, { maxLength: 20 })
  .map((all) => all.map((kept, index) => ({ key: `s${index}`, ...kept })));
const anyPolicy = fc.record({
  pruneAfter: fc.option(fc.integer({ min: 1, max: now })),
  maxEntries: fc.option(fc.integer({ min: 1, max: 10 })),
});

test("whatever there is: protected ones stay, each goes once, and only archived ones are purged", () => {
  fc.assert(
    fc.property(anySessions, anyPolicy, (sessions, policy) => {
      const { steps, spared } = planRetention(sessions, policy, now);
      const of = (key: string) => sessions.find((each) => each.key === key)!;
      expect(new Set(steps.map(({ key }) => key)).size).toBe(steps.length);
      for (const { key, action } of steps) {
        expect(of(key)).toMatchObject({ heldBy: [], inUse: false });
        expect(of(key).archivedAt !== null).toBe(action === "purge");
      }
      for (const { key } of spared) expect(of(key).inUse || of(key).heldBy.length > 0).toBe(true);
    }),
  );
});

test("whatever there is: the order in which sessions are read changes nothing", () => {
  fc.assert(
    fc.property(anySessions, anyPolicy, (sessions, policy) => {
      const sorted = (all: readonly KeptSession[]) =>
        planRetention(all, policy, now).steps.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      expect(sorted(sessions.toReversed())).toEqual(sorted(sessions));
    }),
  );
});

test("whatever there is: once carried out, nothing is left to do", () => {
  fc.assert(
    fc.property(anySessions, (sessions) => {
      const policy = { pruneAfter: 180 * day, maxEntries: null };
      const { steps } = planRetention(sessions, policy, now);
      const actions = new Map(steps.map(({ key, action }) => [key, action]));
      const after = sessions
        .filter(({ key }) => actions.get(key) !== "purge")
        .map((each) => (actions.has(each.key) ? { ...each, archivedAt: now } : each));
      expect(planRetention(after, policy, now).steps).toEqual([]);
    }),
  );
});
