import { expect, test } from "vitest";
import { messagesCell } from "./session-verify.ts";

test.each([
  [{ messages: 2, given: 2 }, "2 of 2 given"],
  [{ messages: 4, given: 2 }, "2 of 4 given"],
  [{ messages: 0, given: 2 }, "0, 2 given before"],
])("S0j: %j is %s", (counts, cell) => {
  expect(messagesCell({ transcript: { ...counts, altered: 0 } })).toBe(cell);
});
