import { expect, test } from "vitest";
import { suggest, suggestion } from "./suggestion.ts";

const known = ["reseed", "refuse", "resume"];

test.each([
  ["reseeed", "reseed"],
  ["Resume", "resume"],
  ["refused", "refuse"],
  ["resum", "resume"],
  ["restart", null],
  ["", null],
  ["reseed-and-much-more-than-that", null],
])("%s → %s", (word, expected) => {
  expect(suggestion(word, known)).toBe(expected);
});

test("the nearest word is named, else all of them", () => {
  expect(suggest("resum", known)).toBe('Did you mean "resume"?');
  expect(suggest("restart", known)).toBe("Use one of: reseed, refuse, resume.");
});
