import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveSettings } from "../settings/settings.ts";
import { type LastUse, type ResetPolicy, resetDue, resetPolicy } from "./policy.ts";

const utc = () => 0;
const at = (text: string) => Date.parse(text);
const daily: ResetPolicy = { mode: "daily", atHour: 4 };
const idle: ResetPolicy = { mode: "idle", idleMinutes: 60 };

function due(policy: ResetPolicy, used: string, now: string, use: Partial<LastUse> = {}) {
  return (
    resetDue(policy, { now: at(now), usedAt: at(used), held: false, offsetAt: utc, ...use }) !==
    null
  );
}

describe("daily", () => {
  test.each([
    ["the same morning", "2026-03-02T04:00:00Z", "2026-03-02T23:00:00Z", false],
    [
      "the night that belongs to the day before",
      "2026-03-02T10:00Z",
      "2026-03-03T03:59:59Z",
      false,
    ],
    ["the hour itself", "2026-03-02T10:00Z", "2026-03-03T04:00:00Z", true],
    ["used just before the hour", "2026-03-03T03:59:59Z", "2026-03-03T04:00:00Z", true],
    ["weeks later", "2026-03-02T10:00Z", "2026-04-20T12:00Z", true],
    ["a clock that was put back by days", "2026-03-20T10:00Z", "2026-03-02T12:00Z", false],
    ["a clock that was put back over the hour", "2026-03-03T04:01Z", "2026-03-03T03:59Z", false],
  ])("%s", (_, used, now, expected) => {
    expect(due(daily, used, now)).toBe(expected);
  });

  test("goes by local time", () => {
    const offsetAt = () => 120;
    expect(due(daily, "2026-03-02T10:00Z", "2026-03-03T01:59Z", { offsetAt })).toBe(false);
    expect(due(daily, "2026-03-02T10:00Z", "2026-03-03T02:00Z", { offsetAt })).toBe(true);
    expect(due(daily, "2026-03-03T02:00Z", "2026-03-03T23:00Z", { offsetAt })).toBe(false);
  });

  test("takes each moment by the local time that it had", () => {
    const summer = at("2026-03-29T01:00Z");
    const offsetAt = (moment: number) => (moment < summer ? 60 : 120);
    // 04:30 in winter time, and 03:30 of the next night in summer time: one day.
    expect(due(daily, "2026-03-28T03:30Z", "2026-03-29T01:30Z", { offsetAt })).toBe(false);
    expect(due(daily, "2026-03-28T03:30Z", "2026-03-29T02:00Z", { offsetAt })).toBe(true);
  });

  test("midnight is an hour too", () => {
    const midnight: ResetPolicy = { mode: "daily", atHour: 0 };
    expect(due(midnight, "2026-03-02T23:59Z", "2026-03-03T00:00Z")).toBe(true);
    expect(due(midnight, "2026-03-02T00:00Z", "2026-03-02T23:59Z")).toBe(false);
  });
});

describe("idle", () => {
  test.each([
    ["before its time", "2026-03-02T10:00Z", "2026-03-02T10:59:59Z", false],
    ["at its time", "2026-03-02T10:00Z", "2026-03-02T11:00Z", true],
    ["a clock that was put back", "2026-03-02T10:00Z", "2026-03-01T10:00Z", false],
  ])("%s", (_, used, now, expected) => {
    expect(due(idle, used, now)).toBe(expected);
  });
});

test("the reason names the policy and the last use", () => {
  const use = { now: at("2026-03-09T12:00Z"), held: false, offsetAt: utc };
  expect(resetDue(daily, { ...use, usedAt: at("2026-03-02T10:00Z") })).toBe(
    "daily at 4:00, last used 2026-03-02T10:00:00.000Z",
  );
  expect(resetDue(idle, { ...use, usedAt: at("2026-03-02T10:00Z") })).toBe(
    "idle for 60 minutes, last used 2026-03-02T10:00:00.000Z",
  );
});

const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });
const anyPolicy: fc.Arbitrary<ResetPolicy> = fc.oneof(
  fc.record({ mode: fc.constant("daily" as const), atHour: fc.integer({ min: 0, max: 23 }) }),
  fc.record({ mode: fc.constant("idle" as const), idleMinutes: fc.integer({ min: 1, max: 9999 }) }),
);
const offset = fc.integer({ min: -12 * 60, max: 14 * 60 });

test("never: mode none, a held session, one without a message, a clock that stands or was put back", () => {
  fc.assert(
    fc.property(anyPolicy, moment, moment, offset, (policy, one, other, minutes) => {
      const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
      const use = { now: later, usedAt: earlier, held: false, offsetAt: () => minutes };
      expect(resetDue({ mode: "none" }, use)).toBeNull();
      expect(resetDue(policy, { ...use, held: true })).toBeNull();
      expect(resetDue(policy, { ...use, usedAt: null })).toBeNull();
      expect(resetDue(policy, { ...use, now: earlier, usedAt: later })).toBeNull();
    }),
  );
});

test("daily: once in every day, whenever the turns come", () => {
  const day = 24 * 3600 * 1000;
  fc.assert(
    fc.property(moment, fc.integer({ min: 0, max: 23 }), offset, (start, atHour, minutes) => {
      const policy: ResetPolicy = { mode: "daily", atHour };
      const hours = Array.from({ length: 25 }, (_, index) => start + (index * day) / 24);
      const resets = hours
        .slice(1)
        .filter((now, index) =>
          resetDue(policy, { now, usedAt: hours[index]!, held: false, offsetAt: () => minutes }),
        );
      expect(resets).toHaveLength(1);
    }),
  );
});

describe("which policy", () => {
  const settings = (reset: Record<string, unknown>) =>
    resolveSettings([{ origin: "test", values: { reset } }]).values;
  const direct = { surface: "direct", channel: null } as const;

  test("none by default", () => {
    expect(resetPolicy(resolveSettings([]).values, direct)).toEqual({ mode: "none" });
  });

  test.each([
    [{ mode: "daily" }, { mode: "daily", atHour: 4 }],
    [
      { mode: "daily", atHour: 0 },
      { mode: "daily", atHour: 0 },
    ],
    [
      { mode: "idle", idleMinutes: 15 },
      { mode: "idle", idleMinutes: 15 },
    ],
  ])("%j", (reset, expected) => {
    expect(resetPolicy(settings(reset), direct)).toEqual(expected);
  });

  test("the channel's, then the surface's, then the one for all", () => {
    const values = settings({
      mode: "idle",
      surface: { chat: "daily" },
      channel: { support: "none" },
    });
    const mode = (surface: "chat" | "direct", channel: string | null) =>
      resetPolicy(values, { surface, channel }).mode;
    expect(mode("direct", null)).toBe("idle");
    expect(mode("chat", null)).toBe("daily");
    expect(mode("chat", "sales")).toBe("daily");
    expect(mode("chat", "support")).toBe("none");
    expect(mode("direct", "toString")).toBe("idle");
  });
});
