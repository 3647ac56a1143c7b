/** How an item was settled, in words. */

import { expect, test } from "vitest";
import { resolutionWords } from "./resolution.ts";

const answered = { how: "answered", choice: null, by: "ann", comment: null, values: {}, at: 1 };

test.each([
  ["approval", { choice: "approve" }, "approve by ann"],
  ["question", { values: { "Which?": "This." } }, "This. by ann"],
  ["question", { values: { "Which?": "This.", "Where?": "Here." } }, "This. · Here. by ann"],
  ["permission", { choice: "deny", by: null }, "deny by somebody"],
  ["approval", { how: "expired", by: null }, "its deadline has passed"],
  ["form", { how: "cancelled", by: null }, "its run has ended"],
  ["question", { how: "cancelled", by: null }, "its turn has ended"],
  ["stuck", { choice: "retry" }, "retry by ann"],
  ["stuck", { how: "cancelled", by: null }, "its run has ended"],
] as const)("%s %j: %s", (kind, resolution, words) => {
  expect(resolutionWords({ kind }, { ...answered, ...resolution } as never)).toBe(words);
});
