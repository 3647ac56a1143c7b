import { expect, test } from "vitest";
import { ago, duration } from "./time.ts";

test.each([
  [340, "340 ms"],
  [12_000, "12 s"],
  [60_000, "1 min"],
  [80_500, "1 min 20 s"],
  [7_500_000, "2 h 5 min"],
  [90_000_000, "1 d 1 h"],
])("%i ms lasts %s", (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words);
});

test.each([
  [-5, "just now"],
  [900, "just now"],
  [1_000, "1 s ago"],
  [61_000, "61 s ago"],
  [119_000, "119 s ago"],
  [120_000, "2 min ago"],
  [7_199_000, "119 min ago"],
  [7_200_000, "2 h ago"],
  [172_800_000, "2 d ago"],
])("%i ms is %s", (past, words) => {
  expect(ago(1_000_000_000, 1_000_000_000 + past)).toBe(words);
});
