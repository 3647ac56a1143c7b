import { expect, test } from "vitest";
import { judgeReplay, type ReplayedChunk, witnessedTurn } from "./witness.ts";

/** `> text` is of the user, other lines are of the agent. */
function replay(...lines: readonly string[]): ReplayedChunk[] {
  return lines.map((line) =>
    line.startsWith("> ") ? { role: "user", text: line.slice(2) } : { role: "agent", text: line },
  );
}
const turns = [witnessedTurn("one", "1"), witnessedTurn("two", "2"), witnessedTurn("three", "3")];
const first = judgeReplay(turns, replay("> one", "1", "> two", "2", "> three", "3"));
const known = first.state === "whole" ? first.turns : [];

const state = (chunks: readonly ReplayedChunk[], of = known) => {
  const verdict = judgeReplay(of, chunks);
  if (verdict.state === "damaged")
    return verdict.message.replace("the agent loaded the session ", "");
  return verdict.shortened === 0 ? "whole" : `${verdict.shortened} shortened`;
};

test("a replay with every prompt and answer is whole, and has ended with the last answer", () => {
  expect(first).toMatchObject({ state: "whole", shortened: 0, complete: true });
  expect(state(replay("> one", "1", "> two", "2", "> three", "3"))).toBe("whole");
});

test("what the agent adds, and how it cuts and spaces messages, does not matter", () => {
  expect(
    state(replay("> <context>", "> one", "1", "> tw", "> o", " 2 ", "> three\n", "3", "")),
  ).toBe("whole");
  expect(state(replay("> one", "1", "> typed by hand", "yes", "> two", "2", "> three", "3"))).toBe(
    "whole",
  );
});

test("a missing end, a hole, another answer or none is damage", () => {
  expect(state([])).toBe("without turn 3 of 3");
  expect(state(replay("> one", "1", "> two", "2"))).toBe("without turn 3 of 3");
  expect(state(replay("> one", "1", "> three", "3"))).toBe("without turn 2 of 3");
  expect(state(replay("> one", "1", "> two", "2", "> three"))).toBe(
    "without the answer of turn 3 of 3",
  );
  expect(state(replay("> one", "> two", "2", "> three", "3"), turns)).toBe("without turn 2 of 3");
  expect(state(replay("> one", "7", "> two", "2", "> three", "3"))).toBe(
    "with another answer in turn 1 of 3",
  );
  expect(state(replay("> 0ne", "1", "> two", "2", "> three", "3"))).toBe("1 shortened");
  expect(state(replay("> one", "1", "> tw0", "2", "> three", "3"))).toBe("without turn 2 of 3");
});

test("a beginning that is gone was summarized by the agent", () => {
  expect(state(replay("> a summary", "yes", "> three", "3"))).toBe("2 shortened");
});

test("an agent that replays prompts in other words is known by its answers", () => {
  expect(state(replay("> ONE", "1", "> TWO", "2", "> THREE", "3"), turns)).toBe("whole");
  expect(state(replay("> ONE", "1", "> TWO", "7", "> THREE", "3"), turns)).toBe(
    "without turn 2 of 3",
  );
});

test("a last answer that is not replayed as it came may be still coming, and is not kept", () => {
  const verdict = judgeReplay(turns.slice(0, 1), replay("> one", "1, but not"));
  expect(verdict).toEqual({ state: "whole", shortened: 0, complete: false, turns: [turns[0]] });
});

test("a turn without an answer in text needs none", () => {
  expect(state(replay("> one"), [witnessedTurn("one", "")])).toBe("whole");
  expect(state([], [])).toBe("whole");
});
