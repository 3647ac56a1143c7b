import { expect, test } from "vitest";
import { eventPatterns } from "./event-types.ts";

test("the patterns of events name single types, groups and all", () => {
  expect(eventPatterns).toEqual(expect.arrayContaining(["*", "gate.*", "run.ended"]));
});
