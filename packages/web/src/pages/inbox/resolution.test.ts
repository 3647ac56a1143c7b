/** How an item was settled, in words. */

import { expect, test } from "vitest";
import { resolutionWords } from "./resolution.ts";

const answered = { how: "answered", choice: null, by: "ann", comment: null, values: {}, at: 1 };

test.each([
  ["approval", { choice: "approve" }, "Approved by ann"],
  ["question", { values: { "Which?": "This." } }, "Answered by ann: This."],
  [
    "question",
    { values: { "Which?": "This.", "Where?": "Here." } },
    "Answered by ann: This. · Here.",
  ],
  ["form", { choice: "order" }, "Answered by ann: order"],
  ["permission", { choice: "deny", by: null }, "Denied"],
  ["approval", { how: "expired", by: null }, "Deadline passed"],
  ["form", { how: "cancelled", by: null }, "Run ended"],
  ["question", { how: "cancelled", by: null }, "Turn ended"],
  ["stuck", { choice: "retry" }, "Retried by ann"],
  ["stuck", { how: "cancelled", by: null }, "Run ended"],
] as const)("%s %j: %s", (kind, resolution, words) => {
  expect(resolutionWords({ kind }, { ...answered, ...resolution } as never)).toBe(words);
});
