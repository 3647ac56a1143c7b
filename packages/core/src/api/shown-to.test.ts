import { expect, test } from "vitest";
import { shownTo } from "./shown-to.ts";

const id = "d717250b-8ded-46d5-b28b-f92a761669b2";
const turn = {
  session: { key: "fix-42", handle: id },
  decision: { handle: { id, place: `/homes/${id}` }, verdicts: [{ stored: id, current: "none" }] },
  attempts: [{ handle: null, argv: ["agent", "--resume", id], error: `No session ${id}.` }],
  at: 1,
};

test("S13: an operator gets the whole id of a provider session", () => {
  expect(shownTo("operator", turn)).toBe(turn);
});

test.each(["viewer", "approver"] as const)("S13: a %s gets a prefix of it, everywhere", (role) => {
  expect(shownTo(role, turn)).toEqual({
    session: { key: "fix-42", handle: "d717250b…" },
    decision: {
      handle: { id: "d717250b…", place: "/homes/d717250b…" },
      verdicts: [{ stored: "d717250b…", current: "none" }],
    },
    attempts: [
      { handle: null, argv: ["agent", "--resume", "d717250b…"], error: "No session d717250b…." },
    ],
    at: 1,
  });
});

test("S13: a short id is hidden in its field, and texts keep their words", () => {
  expect(shownTo("viewer", { handle: "s-1", text: "a class-1 text" })).toEqual({
    handle: "s…",
    text: "a class-1 text",
  });
});

test("S13: without an id the value stays the same", () => {
  const events = [{ type: "turn.opened", data: { turn: "k3v9m2xq" } }];
  expect(shownTo("viewer", events)).toBe(events);
});
