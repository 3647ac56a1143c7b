import { expect, test } from "vitest";
import { storedDecision } from "./stored-decision.ts";
import { blank } from "./suite/samples.ts";

test("a stored decision is read back as it was", () => {
  expect(storedDecision(JSON.stringify(blank))).toEqual(blank);
});

test("K1: a decision that was stored with `held` is read with `passed`", () => {
  const verdicts = blank.verdicts.map(({ passed, ...verdict }) => ({ ...verdict, held: passed }));
  expect(storedDecision(JSON.stringify({ ...blank, verdicts }))).toEqual(blank);
});
