import { expect, test } from "vitest";
import { age, ago, elapsed, until } from "./text.ts";

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
  [3 * hour + 20 * minute, "3 h 20 min"],
  [52 * hour, "2 d 4 h"],
])("%i ms takes %s", (time, text) => {
  expect(elapsed(time)).toBe(text);
});

test.each([
  [72 * hour - second, "3 d"],
  [36 * hour, "2 d"],
  [59 * minute, "1 h"],
  [90 * second, "2 min"],
  [300, "a moment"],
])("%i ms before it, there is %s left", (left, text) => {
  expect(until(1e12 + left, 1e12)).toBe(text);
});

test("S0j: a duration is never negative, even if the clock was set back", () => {
  expect(elapsed(-3_595_300)).toBe("0.0 s");
});
