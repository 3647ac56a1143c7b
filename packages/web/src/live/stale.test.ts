import { expect, test } from "vitest";
import { concerns, staleAfter } from "./stale.ts";

const run = (type: string, data: object = {}) => ({ stream: "run:r1", type, data });
const session = (type: string, data: object = {}) => ({
  stream: "session:wf:1:agent:a",
  type,
  data,
});

test("an event of a run makes the run and the list of runs stale", () => {
  expect(staleAfter(run("node.done"))).toEqual([["runs"], ["run", "r1"]]);
});

test("an event of a session makes it and its turn stale; a key may contain colons", () => {
  expect(staleAfter(session("turn.launched", { turn: "t" }))).toEqual([
    ["sessions"],
    ["session", "wf:1:agent:a"],
    ["turn", "t"],
  ]);
});

test.each([
  [run("gate.opened"), true],
  [run("gate.answered"), true],
  [run("node.waiting"), true],
  [run("run.stuck"), true],
  [run("run.ended", { status: "cancelled" }), true],
  [run("run.ended", { status: "done" }), false],
  [run("node.started"), false],
  [session("turn.finished", { status: "waiting" }), true],
  [session("turn.finished", { status: "cancelled" }), true],
  [session("turn.finished", { status: "done" }), false],
  [session("turn.answered"), true],
  [session("session.purged"), true],
  [session("turn.opened"), false],
])("only what opens or settles an item makes the inbox stale: %o %s", (event, stale) => {
  expect(staleAfter(event).some(([name]) => name === "inbox")).toBe(stale);
});

test("an open item is asked for again only when the event is about it", () => {
  const item = { id: "t", run: "r1", sessions: ["wf:1:agent:a"] };
  const other = { id: "u", run: null, sessions: [] };
  for (const event of [run("node.done"), session("turn.finished")]) {
    expect(concerns(event, item)).toBe(true);
    expect(concerns(event, other)).toBe(false);
  }
  expect(concerns(session("turn.finished", { turn: "u" }), other)).toBe(true);
});

test("a new agent is something that doctor looks at", () => {
  expect(staleAfter({ stream: "agent:coder", type: "agent.created", data: null })).toEqual([
    ["doctor"],
  ]);
});
