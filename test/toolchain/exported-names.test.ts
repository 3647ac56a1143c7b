import { expect, test } from "vitest";
import { nameProblems, namesIn } from "../../scripts/exported-names.ts";

function problems(files: Readonly<Record<string, string>>): string[] {
  return nameProblems(Object.entries(files).flatMap(([file, text]) => namesIn(file, text)));
}

test("K1: a type that two packages export is a problem", () => {
  expect(
    problems({
      "packages/core/src/gate.ts": "export type Answer = string;",
      "packages/client/src/connection.ts": "export interface Answer { text: string }",
    }),
  ).toEqual([
    "Answer is exported by packages/core/src/gate.ts and packages/client/src/connection.ts; give each a name of its own.",
  ]);
});

test("K1: a component counts as a type, and a function only within its part", () => {
  const component = "export function Decision() {}";
  const type = { "packages/core/src/decision.ts": "export type Decision = string;" };
  expect(problems({ ...type, "packages/web/src/decision.tsx": component })).toHaveLength(1);

  const verb = "export function readTurn() {}";
  expect(
    problems({ "packages/engine/src/turn.ts": verb, "packages/store/src/sqlite/read.ts": verb }),
  ).toEqual([]);
  expect(
    problems({ "packages/engine/src/turn.ts": verb, "packages/engine/src/session.ts": verb }),
  ).toHaveLength(1);
});

test("a re-export is not a second declaration", () => {
  expect(
    problems({
      "packages/core/src/errors.ts": "export class BusyError extends Error {}",
      "packages/reprise/src/library.ts": 'export { BusyError } from "@reprise/core/errors";',
    }),
  ).toEqual([]);
});
