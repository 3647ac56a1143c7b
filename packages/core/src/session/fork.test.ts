import { describe, expect, test } from "vitest";
import { chain } from "../conversation/slice.ts";
import { decide } from "./decide.ts";
import type { HistoryState } from "./decision.ts";
import { observed, pin as pinned, plainHash, wanted } from "./example.ts";
import { type History, judgedHandle, judgeHistory } from "./history.ts";
import type { Fork, Pin } from "./pin.ts";

const source = { id: "source", place: "/home" };
const forked = (by: Fork["by"]): Pin => ({
  ...pinned,
  history: chain("abc", plainHash),
  fork: { key: "other", by, source },
});
const history = (digests: string): History => ({
  items: [...digests].map((digest) => ({ role: "user", text: "", digest })),
  bytes: digests.length,
  compacted: false,
});

describe("what a fork is to be made from", () => {
  test.each([
    ["copy", "missing", "whole", { state: "forkable" }],
    ["copy", "missing", "damaged", { state: "lost", found: "missing", checkpoint: "damaged" }],
    ["copy", history("abc"), "whole", { state: "same" }],
    ["copy", history("ab"), "whole", { state: "restorable", found: "shorter" }],
    ["command", history("abc"), "none", { state: "forkable" }],
    ["command", history("abcd"), "none", { state: "unforkable", why: "moved-on" }],
    ["command", history("ab"), "whole", { state: "unforkable", why: "shorter" }],
    ["command", "missing", "whole", { state: "unforkable", why: "missing" }],
    ["transcript", history("abc"), "whole", { state: "unforkable", why: "unable" }],
  ] as const)("by %s, with %o and a checkpoint that is %s", (by, found, checkpoint, state) => {
    expect(judgeHistory(forked(by), found, checkpoint, plainHash)).toEqual(state);
  });

  test("is the source where the provider's program forks it", () => {
    expect(judgedHandle(forked("command"))).toBe(source);
    expect(judgedHandle(forked("copy"))).toBe(pinned.handle);
    expect(judgedHandle(pinned)).toBe(pinned.handle);
  });
});

describe("the first turn of a fork", () => {
  const decided = (by: Fork["by"], state: HistoryState) =>
    decide(
      wanted,
      { ...pinned, fork: { key: "other", by, source } },
      { ...observed, history: state },
    );

  test.each([
    ["copy", pinned.handle],
    ["command", source],
  ] as const)("by %s resumes what it is given, and says so", (by, handle) => {
    expect(decided(by, { state: "forkable" })).toMatchObject({
      outcome: "resume",
      reason: "all-hold",
      handle,
      prepare: ["fork"],
      catchUp: 0,
      notices: [{ code: "forked", text: "This session starts with the history of session other." }],
    });
  });

  test.each(["unable", "moved-on", "missing"] as const)(
    "that is %s reseeds, and says why",
    (why) => {
      const decision = decided("command", { state: "unforkable", why });
      expect(decision).toMatchObject({
        outcome: "reseed",
        reason: "intact",
        notices: [{ code: "fork-reseeded" }],
      });
      expect(decision.verdicts.find(({ guard }) => guard === "intact")).toMatchObject({
        passed: false,
        current: `cannot be forked (${why})`,
      });
    },
  );
});
