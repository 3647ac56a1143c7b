import { expect, test } from "vitest";
import { fit, fitLine } from "./text.ts";

test("the widest shrinks first, and fixed parts never do", () => {
  expect(fit([10, 30, 20], [false, true, true], 40)).toEqual([10, 15, 15]);
  expect(fit([10, 30, 20], [false, true, true], 60)).toEqual([10, 30, 20]);
});

test("nothing becomes narrower than six columns", () => {
  expect(fit([10, 8, 4], [false, true, true], 5)).toEqual([10, 6, 4]);
});

test("a line shortens its values and keeps its words", () => {
  const pieces = ["folder: ", { value: "/home/me/first" }, " → ", { value: "/x" }];
  expect(fitLine(pieces, 20)).toBe("folder: /ho…rst → /x");
  expect(fitLine(pieces, 80)).toBe("folder: /home/me/first → /x");
});
