import { expect, test } from "vitest";
import { staleAfter } from "./stale.ts";

test("an event of a run makes the run, the runs and the inbox old", () => {
  expect(staleAfter({ stream: "run:r1", data: {} })).toEqual([
    ["runs"],
    ["run", "r1"],
    ["inbox"],
    ["item"],
  ]);
});

test("an event of a session makes it and its turn old; the key may have colons", () => {
  expect(staleAfter({ stream: "session:wf:1:agent:a", data: { turn: "t" } })).toEqual([
    ["sessions"],
    ["session", "wf:1:agent:a"],
    ["turn", "t"],
    ["inbox"],
    ["item"],
  ]);
});

test("a new agent is something that doctor looks at", () => {
  expect(staleAfter({ stream: "agent:coder", data: null })).toEqual([["doctor"]]);
});
