import { expect, test } from "vitest";
import { Patience } from "./patience.ts";

/** Every look takes a millisecond. How often it looked, when it was asked so many times. */
function looks(times: number, comes: (look: number) => boolean): number[] {
  let now = 0;
  let look = 0;
  const patience = new Patience(3, () => now);
  return Array.from({ length: times }, () => {
    const before = look;
    patience.for(() => {
      now += 1;
      look += 1;
      return comes(look);
    });
    return look - before;
  });
}

test("what comes in time is waited for every time", () => {
  expect(looks(4, (look) => look % 2 === 0)).toEqual([2, 2, 2, 2]);
});

test("what never comes is waited for less and less often", () => {
  expect(looks(8, () => false)).toEqual([3, 1, 3, 1, 1, 3, 1, 1]);
});

test("once it has come, it is waited for as before", () => {
  expect(looks(6, (look) => look === 6)).toEqual([3, 1, 2, 3, 1, 3]);
});
