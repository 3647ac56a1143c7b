import { describe, expect, test } from "vitest";
import { UsageError } from "../errors/errors.ts";
import type { Outcome } from "./decision.ts";
import {
  defaultBusy,
  type Policy,
  type PolicyInput,
  resolvePolicy,
  resolveRunMode,
  runModes,
  startupPrompt,
  surfaces,
} from "./policy.ts";

const usual: PolicyInput = {
  surface: "direct",
  turn: null,
  mode: null,
  kind: "interactive",
  agentSessions: "default",
  regularAgentSessions: "resume",
};
const resolved = (input: Partial<PolicyInput>) => resolvePolicy({ ...usual, ...input });
const brief = ({ continuity, source, mode }: Policy) => `${continuity} ${source} ${mode}`;

describe("the default of each surface", () => {
  test.each([
    ["chat", "resume surface resume"],
    ["direct", "resume surface resume"],
    ["agent", "resume setting resume"],
    ["node", "blank surface ephemeral"],
    ["schedule", "blank surface ephemeral"],
    ["watcher", "blank surface ephemeral"],
    ["webhook", "blank surface ephemeral"],
  ] as const)("%s: %s", (surface, expected) => {
    expect(brief(resolved({ surface }))).toBe(expected);
    expect(resolved({ surface }).mustContinue).toBe(false);
  });

  test.each(["node", "schedule", "watcher", "webhook", "agent"] as const)(
    "a background agent resumes on %s, whatever the setting for regular agents says",
    (surface) => {
      const policy = resolved({ surface, kind: "background", regularAgentSessions: "fresh" });
      expect(brief(policy)).toBe("resume kind resume");
    },
  );
});

describe("run modes", () => {
  test.each(surfaces)("decide on %s, over kind and settings", (surface) => {
    const input = { surface, kind: "background", agentSessions: "fresh" } as const;
    const policies = runModes.map((mode) => resolved({ ...input, mode }));
    expect(policies.map(brief)).toEqual([
      "blank mode ephemeral",
      "blank mode inherit_fresh",
      "resume mode inherit_resume",
    ]);
    expect(policies.map(({ mustContinue }) => mustContinue)).toEqual([false, false, true]);
  });
});

describe("the setting for regular agents and the agent's own", () => {
  test.each([
    ["default", "resume", "resume setting resume"],
    ["default", "fresh", "blank setting fresh"],
    ["resume", "fresh", "resume agent resume"],
    ["fresh", "resume", "blank agent fresh"],
  ] as const)("agent %s, global %s: %s", (agentSessions, regularAgentSessions, expected) => {
    expect(brief(resolved({ surface: "agent", agentSessions, regularAgentSessions }))).toBe(
      expected,
    );
  });

  test.each(surfaces.filter((surface) => surface !== "agent"))("do not reach %s", (surface) => {
    const set = { agentSessions: "fresh", regularAgentSessions: "fresh" } as const;
    expect(resolved({ surface, ...set })).toEqual(resolved({ surface }));
  });
});

describe("the turn's own word", () => {
  test.each(["reseed", "blank"] as const)("%s wins over everything", (turn) => {
    expect(brief(resolved({ turn }))).toBe(`${turn} turn fresh`);
    expect(brief(resolved({ turn, surface: "agent", agentSessions: "resume" }))).toBe(
      `${turn} turn fresh`,
    );
    expect(brief(resolved({ turn, surface: "node", mode: "inherit_resume" }))).toBe(
      `${turn} turn inherit_resume`,
    );
  });

  test("resume continues the key on every surface, and prints how its session was begun", () => {
    const turn = "resume";
    expect(brief(resolved({ turn }))).toBe("resume turn resume");
    expect(brief(resolved({ turn, surface: "node" }))).toBe("resume turn ephemeral");
    expect(brief(resolved({ turn, surface: "schedule" }))).toBe("resume turn ephemeral");
    const fresh = { surface: "node", mode: "inherit_fresh" } as const;
    expect(brief(resolved({ turn, ...fresh }))).toBe("resume turn inherit_fresh");
    expect(resolved({ turn, ...fresh }).mustContinue).toBe(false);
    const off = { surface: "agent", agentSessions: "fresh" } as const;
    expect(brief(resolved({ turn, ...off }))).toBe("resume turn resume");
  });

  test("resume is not reset, but compacted on request", () => {
    const input = { turn: "resume", surface: "node" } as const;
    expect(brief(resolved({ ...input, reset: "daily at 4:00" }))).toBe("resume turn ephemeral");
    expect(brief(resolved({ ...input, compact: true }))).toBe("reseed compact ephemeral");
  });

  test("inherit_resume still needs something to reseed from, but not for a blank", () => {
    const input = { surface: "node", mode: "inherit_resume" } as const;
    expect(resolved({ ...input, turn: "reseed" }).mustContinue).toBe(true);
    expect(resolved({ ...input, turn: "blank" }).mustContinue).toBe(false);
  });
});

describe("a reset that is due", () => {
  const reset = "daily at 4:00";

  test.each(["chat", "direct", "agent"] as const)("makes the next turn on %s blank", (surface) => {
    const policy = resolved({ surface, reset });
    expect(brief(policy)).toBe("blank reset fresh");
    expect(policy.because).toBe(reset);
  });

  test("says nothing where the turn or a mode said something", () => {
    expect(brief(resolved({ reset, turn: "reseed" }))).toBe("reseed turn fresh");
    expect(brief(resolved({ reset, surface: "node", mode: "inherit_resume" }))).toBe(
      "resume mode inherit_resume",
    );
  });

  test("leaves what is blank already as it is", () => {
    expect(resolved({ reset, surface: "schedule" })).toEqual(resolved({ surface: "schedule" }));
    const fresh = { surface: "agent", agentSessions: "fresh" } as const;
    expect(resolved({ ...fresh, reset })).toEqual(resolved(fresh));
  });
});

describe("the mode of a node", () => {
  test.each([
    [null, null, false, null],
    ["ephemeral", null, false, "ephemeral"],
    ["inherit_fresh", "temporary", false, "inherit_fresh"],
    ["inherit_resume", "temporary", true, "inherit_resume"],
    [null, "temporary", false, "ephemeral"],
    [null, "temporary", true, "ephemeral"],
    [null, "persistent", false, "inherit_fresh"],
    [null, "persistent", true, "inherit_resume"],
  ] as const)(
    "mode %s, session_type %s, legacyPersistentResumes %s: %s",
    (mode, sessionType, legacyPersistentResumes, expected) => {
      expect(resolveRunMode({ mode, sessionType, legacyPersistentResumes })).toBe(expected);
    },
  );

  test.each([
    ["inherit_resumes", null, 'Did you mean "inherit_resume"?'],
    ["resume", "persistent", "Use one of: ephemeral, inherit_fresh, inherit_resume."],
    [null, "persistant", 'Did you mean "persistent"?'],
  ])("mode %s, session_type %s is an error that says: %s", (mode, sessionType, hint) => {
    const resolve = () => resolveRunMode({ mode, sessionType, legacyPersistentResumes: false });
    expect(resolve).toThrow(UsageError);
    expect(resolve).toThrow(expect.objectContaining({ hint }));
  });
});

describe("the introduction", () => {
  test.each<[string, Partial<PolicyInput>, Outcome, string]>([
    ["a regular agent that starts with nothing", { surface: "agent" }, "blank", "send_intro"],
    ["a regular agent that resumes", { surface: "agent" }, "resume", "skip_intro"],
    [
      "a regular agent that continues from its transcript",
      { surface: "agent" },
      "reseed",
      "skip_intro",
    ],
    ["nothing is launched", { surface: "agent" }, "refuse", "skip_intro"],
    ["ephemeral", { surface: "node", mode: "ephemeral" }, "blank", "skip_intro"],
    ["inherit_fresh", { surface: "node", mode: "inherit_fresh" }, "blank", "skip_intro"],
    ["inherit_resume", { surface: "node", mode: "inherit_resume" }, "resume", "skip_intro"],
    ["a run mode on an agent", { surface: "agent", mode: "inherit_fresh" }, "blank", "skip_intro"],
    ["a schedule", { surface: "schedule" }, "blank", "skip_intro"],
    ["a chat", { surface: "chat" }, "blank", "skip_intro"],
    ["a direct call", { surface: "direct" }, "blank", "skip_intro"],
  ])("%s", (_, input, outcome, expected) => {
    expect(startupPrompt(resolved(input), outcome)).toBe(expected);
  });
});

test.each([
  ["direct", "wait"],
  ["node", "wait"],
  ["chat", "queue"],
  ["agent", "queue"],
  ["watcher", "queue"],
  ["webhook", "queue"],
  ["schedule", "skip"],
] as const)("a busy session makes %s %s", (surface, expected) => {
  expect(defaultBusy(surface)).toBe(expected);
  expect(defaultBusy(surface, { manualRunOnLiveAgent: true })).toBe("fail");
});
