import { expect, test } from "vitest";
import { reasonWords } from "./sentence.ts";

const verdict = {
  guard: "folder",
  passed: false,
  held: false,
  stored: "/a",
  current: "/b",
} as const;

test.each([
  ["resume", "all-hold", null, "all guards pass"],
  ["blank", "prior", { ...verdict, guard: "prior" }, "first turn"],
  ["reseed", "folder", verdict, "folder: /a → /b"],
  ["refuse", "not-resumable", null, "not resumable"],
  [null, null, null, ""],
] as const)("%s because of %s", (outcome, reason, decider, words) => {
  expect(reasonWords({ outcome, reason, verdict: decider })).toBe(words);
});
