import { expect, test } from "vitest";
import { age, ago, elapsed } from "./time.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

test.each([
  [0, "now"],
  [-5 * second, "now"],
  [59 * second, "59 s"],
  [3 * minute + 59 * second, "3 min"],
  [23 * hour, "23 h"],
  [50 * hour, "2 d"],
])("%i ms old is %s", (passed, text) => {
  expect(age(1e12 - passed, 1e12)).toBe(text);
});

test("ago", () => {
  expect(ago(1e12, 1e12)).toBe("just now");
  expect(ago(1e12 - minute, 1e12)).toBe("1 min ago");
});

test.each([
  [420, "0.4 s"],
  [12_300, "12 s"],
  [125_000, "2 min 5 s"],
])("%i ms takes %s", (time, text) => {
  expect(elapsed(time)).toBe(text);
});
