import { expect, test } from "vitest";
import { testCli } from "./test-surroundings.ts";
import { decision } from "./test-turn.ts";
import { after, progressLine } from "./turn-run.ts";

test("the line follows the turn: waiting, decided, launched, tools", () => {
  let state = { doing: "opening the session", tools: [] as string[] };
  const step = (progress: Parameters<typeof after>[0]) => {
    state = after(progress, state.doing, state.tools);
    return [state.doing, ...state.tools].join(" · ");
  };
  const ahead = { behind: "1a2b3c4d5e6f", owner: { pid: 7, host: "h" }, since: 0 };
  expect(step({ type: "waiting", ...ahead, unseen: false, stopped: false })).toBe(
    "waiting behind turn 1a2b3c4d of process 7 on h since 1970-01-01T00:00:00.000Z",
  );
  expect(step({ type: "decided", decision: decision() })).toBe("resume");
  expect(step({ type: "launched", attempt: 1 })).toBe("resume");
  for (const name of ["read", "edit", "shell", "test"]) step({ type: "tool", name });
  expect(step({ type: "text", text: "…" })).toBe("resume · edit · shell · test");
  expect(step({ type: "launched", attempt: 2 })).toBe("resume · attempt 2");
  const compacting = decision({ prepare: ["restore", "compact"] });
  expect(step({ type: "decided", decision: compacting })).toBe("compacting the session");
});

test.each([
  ["where there is no terminal", {}],
  ["with --quiet", { columns: 80, quiet: true }],
])("%s there is no progress line", (_, options) => {
  const cli = testCli(options);
  const line = progressLine(cli);
  line.report({ type: "tool", name: "read" });
  line.stop();
  expect(cli.stderrText()).toBe("");
});
