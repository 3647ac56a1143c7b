import { expect, test } from "vitest";
import { blank } from "./suite/samples.ts";
import { storedDecision } from "./verbs/row.ts";

const resume = {
  ...blank,
  outcome: "resume",
  handle: { id: "h", place: "/p" },
  prepare: [],
  catchUp: 0,
  notices: [{ code: "unconfirmed-kept", text: "…" }],
} as const;

test("a stored decision is read back as it was", () => {
  expect(storedDecision(JSON.stringify(blank))).toEqual(blank);
});

test("K1: a decision that was stored with `held` is read with `passed`", () => {
  const verdicts = blank.verdicts.map(({ passed, ...verdict }) => ({ ...verdict, held: passed }));
  expect(storedDecision(JSON.stringify({ ...blank, verdicts }))).toEqual(blank);
});

test("K2: an older decision says in a field, not only in a notice, that it keeps an unconfirmed turn", () => {
  expect(storedDecision(JSON.stringify(resume))).toMatchObject({ keepsUnconfirmed: true });
  const newer = { ...resume, keepsUnconfirmed: false };
  expect(storedDecision(JSON.stringify(newer))).toEqual(newer);
});
