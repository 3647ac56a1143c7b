import { expect, test } from "vitest";
import { misspelledVariables } from "./cli.ts";

test("L4: a misspelled REPRISE_ variable is noticed, and others are left alone", () => {
  const env = { REPRISE_HOM: "/x", REPRISE_MAX_ACCES: "full", REPRISE_HOME: "/y", PATH: "/bin" };
  expect(misspelledVariables(env)).toEqual([
    "The environment variable REPRISE_HOM has no effect. Did you mean REPRISE_HOME?",
    "The environment variable REPRISE_MAX_ACCES has no effect. Did you mean REPRISE_MAX_ACCESS?",
  ]);
  expect(misspelledVariables({ REPRISE_TEST_KEY: "3", REPRISE_VALUE_1: "a" })).toEqual([]);
});
