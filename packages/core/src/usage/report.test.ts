import { expect, test } from "vitest";
import { emptySum, type UsageSum, usageFigures } from "./report.ts";

const resumed: UsageSum = {
  ...emptySum,
  turns: 3,
  resume: 2,
  blank: 1,
  usage: { cachedRead: 900, cachedWrite: null, uncached: 60, output: 30 },
  compared: { turns: 2, bytes: 2001, uncached: 40 },
};

test("what was reported is measured, and what was not is not zero", () => {
  expect(usageFigures(resumed)).toMatchObject({
    turns: 3,
    outcomes: { resume: 2, reseed: 0, blank: 1, refuse: 0 },
    cachedRead: { tokens: 900, known: "measured" },
    cachedWrite: { tokens: null, known: "unreported" },
    uncached: { tokens: 60, known: "measured" },
    output: { tokens: 30, known: "measured" },
  });
});

test("what a reseed would have sent is estimated, and so is what it saves", () => {
  expect(usageFigures(resumed)).toMatchObject({
    reseed: { tokens: 501, known: "estimated" },
    saved: { tokens: 461, known: "estimated" },
  });
});

test("S13: a cache that had forgotten the session saved nothing, and never less", () => {
  const cold = { ...resumed, compared: { turns: 1, bytes: 400, uncached: 5000 } };
  expect(usageFigures(cold).saved).toEqual({ tokens: 0, known: "estimated" });
});

test("without a resumed turn to compare nothing is claimed", () => {
  const { reseed, saved } = usageFigures({ ...emptySum, turns: 1, blank: 1, unreported: 1 });
  expect([reseed, saved]).toEqual([
    { tokens: null, known: "unreported" },
    { tokens: null, known: "unreported" },
  ]);
});
