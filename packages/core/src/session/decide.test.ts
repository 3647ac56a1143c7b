import { describe, expect, test } from "vitest";
import { decide } from "./decide.ts";
import {
  type Decision,
  type GuardName,
  guardNames,
  type Observed,
  type Rules,
  type Wanted,
} from "./decision.ts";
import { observed, pin, wanted } from "./example.ts";
import type { Pin } from "./pin.ts";
import { type PolicyInput, resolvePolicy } from "./policy.ts";
import type { AccountLimit, QuotaRules } from "./quota.ts";

interface Change {
  readonly wanted?: Partial<Wanted>;
  readonly rules?: Partial<Rules>;
  readonly pin?: Partial<Pin> | null;
  readonly observed?: Partial<Observed>;
}

function decided(...changes: Change[]): Decision {
  let [w, p, o]: [Wanted, Pin | null, Observed] = [wanted, pin, observed];
  for (const change of changes) {
    w = { ...w, ...change.wanted, rules: { ...w.rules, ...change.rules } };
    p = change.pin === null ? null : p && { ...p, ...change.pin };
    o = { ...o, ...change.observed };
  }
  return decide(w, p, o);
}

function failing(decision: Decision): GuardName[] {
  return decision.verdicts.filter(({ passed }) => !passed).map(({ guard }) => guard);
}

const usual: PolicyInput = {
  surface: "direct",
  turn: null,
  mode: null,
  kind: "interactive",
  agentSessions: "default",
  regularAgentSessions: "resume",
};
const policy = (input: Partial<PolicyInput>): Change => ({
  wanted: { policy: resolvePolicy({ ...usual, ...input }) },
});
const emptySlice = { length: 0, digest: "", prefix: null, earlier: 0 };
const nothingToReseed: Change = { observed: { slice: emptySlice } };
const overBudget = (over: Rules["budget"]["over"]): Change => ({
  rules: { budget: { maxAge: null, maxBytes: null, maxTokens: 999, over } },
});
const limit: AccountLimit = {
  ...{ provider: "scripted", account: "account-1", until: observed.now + 3_600_000 },
  ...{ turn: "t0123456789", agent: "coder", at: observed.now - 1 },
};
const limited: Change = { observed: { limit } };
const otherAccount: Change = { observed: { account: "account-2" } };
const otherFolder: Change = { wanted: { folder: "/home/me/elsewhere" } };
const lost: Change = {
  observed: { history: { state: "lost", found: "missing", checkpoint: "none" } },
};

describe("when every guard holds", () => {
  test("the pinned handle is resumed and all guards are shown as passed", () => {
    expect(decided()).toMatchObject({
      outcome: "resume",
      reason: "all-hold",
      handle: pin.handle,
      prepare: [],
      catchUp: 0,
      notices: [],
      startupPrompt: "skip_intro",
      runFolder: "source",
    });
    expect(decided().verdicts.map(({ guard }) => guard)).toEqual(guardNames);
    expect(failing(decided())).toEqual([]);
  });

  test("messages that the provider session does not have yet are caught up", () => {
    const slice = { length: 5, digest: "g5", prefix: "g2", earlier: 0 };
    expect(decided({ observed: { slice } })).toMatchObject({ outcome: "resume", catchUp: 3 });
  });
});

describe("each guard failing alone", () => {
  const rows: [GuardName, string, Decision["outcome"], Change][] = [
    ["policy", "--reseed", "reseed", policy({ turn: "reseed" })],
    ["policy", "--blank", "blank", policy({ turn: "blank" })],
    ["policy", "an ephemeral node", "blank", policy({ surface: "node" })],
    ["policy", "inherit_fresh", "blank", policy({ surface: "node", mode: "inherit_fresh" })],
    ["policy", "a schedule", "blank", policy({ surface: "schedule" })],
    [
      "policy",
      "the agent's setting",
      "blank",
      policy({ surface: "agent", agentSessions: "fresh" }),
    ],
    [
      "policy",
      "the global setting",
      "blank",
      policy({ surface: "agent", regularAgentSessions: "fresh" }),
    ],
    ["policy", "a reset that is due", "blank", policy({ reset: "daily at 4:00" })],
    ["prior", "no confirmed turn, but a transcript", "reseed", { pin: null }],
    [
      "prior",
      "no confirmed turn, but a hand-off note",
      "reseed",
      { pin: null, observed: { slice: { ...emptySlice, earlier: 4 } } },
    ],
    ["prior", "a first turn", "blank", { pin: null, ...nothingToReseed }],
    [
      "capability",
      "a program that cannot resume",
      "reseed",
      {
        pin: { runtime: { ...pin.runtime, abilities: [] } },
        observed: { runtime: { ...pin.runtime, abilities: [] } },
      },
    ],
    ["agent", "another agent answered last", "reseed", { observed: { lastAgent: "reviewer" } }],
    ["agent", "another provider answered last", "reseed", { observed: { lastProvider: "codex" } }],
    ["agent", "another provider's pin", "reseed", { pin: { provider: "codex" } }],
    [
      "history",
      "an edited message",
      "reseed",
      { observed: { slice: { ...observed.slice, prefix: "edited" } } },
    ],
    [
      "history",
      "a truncated conversation",
      "reseed",
      { observed: { slice: { length: 1, digest: "g1", prefix: null, earlier: 0 } } },
    ],
    ["folder", "another folder", "reseed", otherFolder],
    [
      "runtime",
      "a fork of the program",
      "reseed",
      { observed: { runtime: { ...pin.runtime, product: "fork" } } },
    ],
    [
      "runtime",
      "another home",
      "reseed",
      { observed: { runtime: { ...pin.runtime, home: "/homes/other" } } },
    ],
    [
      "runtime",
      "fewer abilities",
      "reseed",
      { observed: { runtime: { ...pin.runtime, abilities: ["resume"] } } },
    ],
    [
      "model",
      "a model that the provider cannot take on resume",
      "reseed",
      {
        wanted: { model: "m2" },
        pin: { runtime: { ...pin.runtime, abilities: ["resume"] } },
        observed: { runtime: { ...pin.runtime, abilities: ["resume"] } },
      },
    ],
    [
      "model",
      "another model under onModelChange: reseed",
      "reseed",
      { wanted: { model: "m2" }, rules: { onModelChange: "reseed" } },
    ],
    ["account", "another account", "refuse", otherAccount],
    [
      "account",
      "another account under acrossAccounts: reseed",
      "reseed",
      { ...otherAccount, rules: { acrossAccounts: "reseed" } },
    ],
    ["quota", "a limit that is not reset", "refuse", limited],
    [
      "instructions",
      "changed instructions under onInstructionsChange: reseed",
      "reseed",
      { wanted: { instructions: "i2" }, rules: { onInstructionsChange: "reseed" } },
    ],
    ["intact", "a lost history", "reseed", lost],
    ["healthy", "a retired handle", "reseed", { observed: { retired: "poisoned" } }],
    ["healthy", "too many strikes", "reseed", { pin: { strikes: 3 } }],
    ["budget", "over budget, reseed", "reseed", overBudget("reseed")],
    ["budget", "over budget, refuse", "refuse", overBudget("refuse")],
  ];

  test.each(rows)("%s: %s → %s", (guard, _, outcome, change) => {
    const decision = decided(change);
    expect(decision.outcome).toBe(outcome);
    expect(decision.reason).toBe(guard);
    expect(failing(decision)).toEqual([guard]);
    expect(decision.verdicts).toHaveLength(guardNames.length);
    expect("handle" in decision).toBe(false);
  });

  test("every guard has a row", () => {
    expect([...new Set(rows.map(([guard]) => guard))]).toEqual([...guardNames]);
  });

  test("a verdict shows the stored and the current value", () => {
    expect(decided(otherFolder).verdicts).toContainEqual({
      guard: "folder",
      passed: false,
      stored: "/home/me/project",
      current: "/home/me/elsewhere",
    });
    expect(decided(policy({ turn: "blank" })).verdicts[0]).toMatchObject({
      current: "blank (turn)",
    });
    expect(decided(policy({ reset: "daily at 4:00" })).verdicts[0]).toMatchObject({
      current: "blank (reset: daily at 4:00)",
    });
  });
});

describe("changes that do not start a new session", () => {
  test.each<[string, Change, string[]]>([
    [
      "a new version",
      { observed: { runtime: { ...pin.runtime, version: "2.0.0" } } },
      ["runtime-version"],
    ],
    ["more abilities", { pin: { runtime: { ...pin.runtime, abilities: ["resume"] } } }, []],
    ["another model, where the provider takes it", { wanted: { model: "m2" } }, ["model"]],
    ["changed instructions", { wanted: { instructions: "i2" } }, ["instructions"]],
    ["an unknown account", { observed: { account: null } }, []],
    ["an account that was never known", { pin: { account: null } }, []],
    ["instructions that may be lost", { pin: { instructions: null } }, []],
    ["a provider without a witness", { observed: { history: { state: "unknown" } } }, []],
    [
      "turns typed in the provider's own program",
      { observed: { history: { state: "advanced", items: 2 } } },
      ["native-turns"],
    ],
    [
      "a rewind in the provider's own program",
      { observed: { history: { state: "rewound", kept: 1, items: 2, takenBack: 1 } } },
      ["rewound"],
    ],
    ["a compacted history", { observed: { history: { state: "compacted" } } }, ["compacted"]],
    ["over budget, warn", overBudget("warn"), ["over-budget"]],
    ["strikes below the limit", { pin: { strikes: 2 } }, []],
  ])("%s", (_, change, notices) => {
    const decision = decided(change);
    expect(decision.outcome).toBe("resume");
    expect(decision.notices.map(({ code }) => code)).toEqual(notices);
  });

  test("an unknown value is shown as unknown", () => {
    expect(decided({ pin: { account: null } }).verdicts).toContainEqual({
      guard: "account",
      passed: true,
      stored: "unknown",
      current: "account-1",
    });
  });
});

describe("what is prepared before a resume", () => {
  const residue = (tools: boolean) => ({
    turn: "t2",
    history: { length: 3, digest: "h3" },
    tools,
    given: { length: 3, digest: "g3" },
  });
  const withPrompt = { length: 3, digest: "g3", prefix: "g2", earlier: 0 };

  test("a damaged history is restored, and that is said", () => {
    expect(
      decided({ observed: { history: { state: "restorable", found: "shorter" } } }),
    ).toMatchObject({ outcome: "resume", prepare: ["restore"], notices: [{ code: "restored" }] });
  });

  test("an earlier checkpoint is followed by what it does not have", () => {
    const then = { given: { length: 1, digest: "g1" }, history: { length: 1, digest: "h1" } };
    const decision = decided({
      pin: then,
      observed: {
        slice: { length: 3, digest: "g3", prefix: "g1", earlier: 0 },
        history: { state: "restorable", found: "missing", earlier: true },
      },
    });
    expect(decision).toMatchObject({ outcome: "resume", prepare: ["restore"], catchUp: 2 });
    expect(decision.notices).toMatchObject([
      { code: "restored", text: expect.stringContaining("an earlier checkpoint") },
    ]);
    expect(decision.verdicts.find(({ guard }) => guard === "intact")?.current).toBe(
      "restorable (missing, from an earlier checkpoint)",
    );
  });

  test("a restored history may have a turn that was kept for its tools: it is reported, and not sent twice", () => {
    expect(
      decided({
        pin: { residue: residue(true) },
        observed: {
          slice: withPrompt,
          history: { state: "restorable", found: "missing", unconfirmed: true },
        },
      }),
    ).toMatchObject({
      prepare: ["restore"],
      notices: [{ code: "restored" }, { code: "unconfirmed-kept" }],
      catchUp: 0,
    });
  });

  test("an unconfirmed turn without a tool is undone", () => {
    expect(
      decided({
        pin: { residue: residue(false) },
        observed: { history: { state: "unconfirmed", tools: false, restorable: true } },
      }),
    ).toMatchObject({
      prepare: ["restore"],
      notices: [{ code: "unconfirmed-undone" }],
      catchUp: 0,
    });
  });

  test("an unconfirmed turn in which a tool ran is kept, and is not sent twice", () => {
    expect(
      decided({
        pin: { residue: residue(true) },
        observed: {
          slice: withPrompt,
          history: { state: "unconfirmed", tools: true, restorable: true },
        },
      }),
    ).toMatchObject({ prepare: [], notices: [{ code: "unconfirmed-kept" }], catchUp: 0 });
  });

  test("an unconfirmed turn that cannot be undone is kept", () => {
    expect(
      decided({
        pin: { residue: { ...residue(false), given: pin.given } },
        observed: { history: { state: "unconfirmed", tools: false, restorable: false } },
      }),
    ).toMatchObject({ prepare: [], notices: [{ code: "unconfirmed-kept" }] });
  });

  test.each([
    ["shortened", { length: 2, digest: "g2", prefix: "g2", earlier: 0 }],
    ["edited", { ...withPrompt, digest: "edited" }],
  ])("a kept unconfirmed turn that was %s in the conversation reseeds", (_, slice) => {
    expect(
      decided({
        pin: { residue: residue(true) },
        observed: { slice, history: { state: "unconfirmed", tools: true, restorable: true } },
      }),
    ).toMatchObject({ outcome: "reseed", reason: "history" });
  });

  test("an over-budget session is compacted where that was asked for", () => {
    expect(decided(overBudget("compact"))).toMatchObject({
      outcome: "reseed",
      reason: "budget",
      compact: { focus: null },
      notices: [{ code: "summary" }],
    });
    expect(decided(overBudget("reseed"))).not.toHaveProperty("compact");
  });

  test("a requested compaction is a new provider session with a summary", () => {
    const asked = { observed: { compaction: { focus: "the parser" } } };
    expect(decided(policy({ compact: true }), asked)).toMatchObject({
      outcome: "reseed",
      reason: "policy",
      compact: { focus: "the parser" },
      notices: [{ code: "summary" }],
    });
    expect(decided(policy({ turn: "blank", compact: true }), asked)).toMatchObject({
      outcome: "blank",
    });
  });

  test("instructions that may be lost are sent again", () => {
    expect(decided({ pin: { instructions: null } })).toMatchObject({ instruct: true });
    expect(decided()).not.toHaveProperty("instruct");
  });

  describe("a session that its own program can compact", () => {
    const able: Change = { observed: { compacts: true } };
    const focus = { focus: "the parser" };
    const asked: Change = { observed: { compacts: true, compaction: focus } };
    const compacting = {
      outcome: "resume",
      reason: "all-hold",
      handle: pin.handle,
      prepare: ["compact"],
      notices: [{ code: "compaction" }],
    };

    test("is not compacted for nothing", () => {
      expect(decided(able)).toMatchObject({ outcome: "resume", prepare: [], notices: [] });
      expect(decided(able)).not.toHaveProperty("compact");
    });

    test.each<[string, Change[], object]>([
      ["when it was requested", [asked], focus],
      ["when its context is over budget", [able, overBudget("compact")], { focus: null }],
      ["when it did not fit", [able, { observed: { overflowed: true } }], { focus: null }],
    ])("is, %s", (_, changes, compact) => {
      expect(decided(...changes)).toMatchObject({ ...compacting, compact });
    });

    test("is put back first where a turn without effect is in it", () => {
      const undone = { state: "unconfirmed", tools: false, restorable: true } as const;
      expect(decided(able, { observed: { overflowed: true, history: undone } })).toMatchObject({
        outcome: "resume",
        prepare: ["restore", "compact"],
      });
    });

    test.each<[string, Change]>([
      ["warn", overBudget("warn")],
      ["refuse", overBudget("refuse")],
      ["reseed", overBudget("reseed")],
    ])("is not, over a budget that wants to %s", (_, change) => {
      const { outcome, ...decision } = decided(able, change);
      expect(outcome).toBe(decided(change).outcome);
      expect("prepare" in decision ? decision.prepare : []).toEqual([]);
    });

    test.each<[string, Partial<Rules["budget"]>]>([
      ["too old", { maxAge: 1 }],
      ["too large", { maxBytes: 1 }],
    ])("begins anew when it is %s, which a compaction does not change", (_, limit) => {
      const none = { maxAge: null, maxBytes: null, maxTokens: 999 };
      const budget: Rules["budget"] = { ...none, ...limit, over: "compact" };
      expect(decided(able, { rules: { budget } })).toMatchObject({
        outcome: "reseed",
        reason: "budget",
        compact: { focus: null },
      });
    });

    test("begins anew, with the summary that was asked for, when a guard fails", () => {
      expect(decided(asked, otherFolder)).toMatchObject({
        outcome: "reseed",
        reason: "folder",
        compact: focus,
      });
    });

    test("begins anew when it did not fit and has not become shorter", () => {
      expect(decided({ observed: { overflowed: true } })).toMatchObject({
        outcome: "reseed",
        reason: "healthy",
        compact: { focus: null },
      });
    });
  });

  test("what did not fit is sent again in short, and said once", () => {
    const retired = { observed: { retired: "overflow: too long", overflowed: true } };
    expect(decided(retired)).toMatchObject({
      outcome: "reseed",
      reason: "healthy",
      compact: { focus: null },
      notices: [],
    });
  });
});

describe("when several guards fail", () => {
  const archived: Change = { observed: { archived: true } };
  const blank = policy({ turn: "blank" });
  const reseed = policy({ turn: "reseed" });

  test.each<[string, Change[], Decision["outcome"], string]>([
    ["archived comes before blank", [archived, blank], "refuse", "archived"],
    ["archived comes before a first turn", [archived, { pin: null }], "refuse", "archived"],
    ["blank by policy comes before a refusal", [blank, otherAccount], "blank", "policy"],
    ["blank by policy comes before a reseed", [blank, otherFolder, lost], "blank", "policy"],
    ["a refusal comes before a reseed", [otherFolder, otherAccount], "refuse", "account"],
    ["a refusal comes before --reseed", [reseed, otherAccount], "refuse", "account"],
    ["--reseed answers a budget's refusal", [reseed, overBudget("refuse")], "reseed", "policy"],
    ["the first failing guard is the reason", [lost, otherFolder], "reseed", "folder"],
    ["--reseed is the reason before others", [reseed, lost], "reseed", "policy"],
    [
      "--reseed on a first turn is a first turn",
      [reseed, { pin: null }, nothingToReseed],
      "blank",
      "prior",
    ],
  ])("%s", (_, changes, outcome, reason) => {
    expect(decided(...changes)).toMatchObject({ outcome, reason });
  });

  test("S13: an agent switch says who answered last and who takes over", () => {
    const rules = { ...wanted.rules, onAdvanced: "catch-up" } as const;
    for (const change of [{}, { wanted: { rules } }]) {
      const decision = decided({ pin: null, observed: { lastAgent: "reviewer" } }, change);
      expect(decision.reason).toBe("prior");
      expect(decision.verdicts.find(({ guard }) => guard === "prior")).toMatchObject({
        stored: `reviewer (${observed.lastProvider}) answered last`,
        current: expect.stringMatching(/^coder \(\w+\) takes over \d+ messages$/),
      });
      const text = "coder (scripted) takes over from reviewer (scripted).";
      expect(decision.notices).toEqual([{ code: "takeover", text }]);
    }
  });

  test("a lost history is said, whatever else failed", () => {
    for (const decision of [decided(lost), decided(otherFolder, lost), decided(reseed, lost)])
      expect(decision.notices).toMatchObject([{ code: "history-lost" }]);
    expect(decided(otherFolder).notices).toEqual([]);
  });

  test("all failing guards are shown, whichever wins", () => {
    expect(failing(decided(otherFolder, otherAccount, lost))).toEqual([
      "folder",
      "account",
      "intact",
    ]);
  });

  test("S15: what could not be read is refused on a resume, and not needed for a new provider session", () => {
    const error = { code: "history-unread", message: "It is a folder.", hint: "Move it." };
    const unread: Change = { observed: { history: { state: "unread", error } } };
    expect(decided(unread)).toMatchObject({ outcome: "refuse", reason: "intact", error });
    expect(decided(unread, policy({ turn: "reseed" }))).toMatchObject({
      outcome: "reseed",
      reason: "policy",
      notices: [],
    });
    expect(decided(unread, policy({ turn: "blank" }))).toMatchObject({ outcome: "blank" });
  });

  test("nothing to reseed from is a blank with a warning", () => {
    expect(
      decided(lost, nothingToReseed, { pin: { given: { length: 0, digest: "" } } }),
    ).toMatchObject({ outcome: "blank", notices: [{ code: "nothing-left" }] });
  });
});

describe("refusals", () => {
  const mustContinue = policy({ surface: "node", mode: "inherit_resume" });
  const checkpoint = (state: "newer" | "foreign"): Change => ({
    observed: { history: { state: "lost", found: "missing", checkpoint: state } },
  });

  test.each<[string, Change[], string, string]>([
    ["an archived key", [{ observed: { archived: true } }], "archived", "archived"],
    ["a newer checkpoint", [checkpoint("newer")], "checkpoint", "checkpoint-newer"],
    ["another agent's checkpoint", [checkpoint("foreign")], "checkpoint", "checkpoint-foreign"],
    [
      "onResumeFailure: fail",
      [otherFolder, { rules: { onResumeFailure: "fail" } }],
      "resume-failure",
      "resume-failure",
    ],
    [
      "inherit_resume with nothing to continue",
      [mustContinue, { pin: null }, nothingToReseed],
      "prior",
      "nothing-to-continue",
    ],
    ["another account", [otherAccount], "account", "other-account"],
    ["over budget", [overBudget("refuse")], "budget", "over-budget"],
  ])("%s", (_, changes, reason, code) => {
    const decision = decided(...changes);
    expect(decision).toMatchObject({ outcome: "refuse", reason, error: { code } });
    if (decision.outcome !== "refuse") return;
    expect(decision.error.message).toMatch(/\.$/);
    expect(decision.error.hint).toMatch(/\.$/);
  });

  test("inherit_resume reseeds while there is a transcript", () => {
    expect(decided(mustContinue, lost)).toMatchObject({ outcome: "reseed", reason: "intact" });
    expect(decided(mustContinue)).toMatchObject({ outcome: "resume", runFolder: "source" });
  });

  test("a checkpoint that cannot be used does not stop --reseed, as its hint says", () => {
    expect(decided(checkpoint("newer"), policy({ turn: "reseed" })).outcome).toBe("reseed");
  });

  test("onResumeFailure: fail does not stop --reseed, nor a first turn", () => {
    const fail: Change = { rules: { onResumeFailure: "fail" } };
    expect(decided(fail, policy({ turn: "reseed" })).outcome).toBe("reseed");
    expect(decided(fail, { pin: null }, nothingToReseed).outcome).toBe("blank");
  });
});

describe("a purged key", () => {
  const purged: Change = { pin: null, observed: { purgedAt: 0, slice: emptySlice } };
  test.each([
    ["first turn", purged],
    ["ephemeral node", { ...purged, ...policy({ surface: "node" }) }],
  ])("says at its %s that it is new", (_, change) => {
    expect(decided(change)).toMatchObject({
      outcome: "blank",
      notices: [{ code: "purged", text: expect.stringContaining("1970-01-01") }],
    });
  });
});

describe("answers of another agent in between, under onAdvanced: catch-up", () => {
  const overtaken: Change = {
    rules: { onAdvanced: "catch-up" },
    observed: {
      lastAgent: "reviewer",
      lastProvider: "codex",
      slice: {
        length: 0,
        digest: "",
        prefix: null,
        earlier: 4,
        overtaken: { length: 4, digest: "g4", prefix: "g2" },
      },
    },
  };

  test("resume, with what was missed", () => {
    expect(decided(overtaken)).toMatchObject({ outcome: "resume", catchUp: 2 });
  });

  test("reseed by default", () => {
    const decision = decided(overtaken, { rules: { onAdvanced: "reseed" } });
    expect(decision).toMatchObject({ outcome: "reseed", reason: "agent" });
    expect(failing(decision)).toEqual(["agent", "history"]);
  });

  test("reseed when what the session was given was edited", () => {
    const slice = { ...emptySlice, overtaken: { length: 4, digest: "x4", prefix: "edited" } };
    expect(decided(overtaken, { observed: { slice: { ...slice, earlier: 4 } } })).toMatchObject({
      outcome: "reseed",
      reason: "history",
    });
  });
});

describe("S0j: a rotated API key", () => {
  const rotated: Change = { pin: { account: "key:1" }, observed: { account: "key:2" } };

  test("S21: is not called another account, and the hint names the setting", () => {
    expect(decided(rotated)).toMatchObject({
      outcome: "refuse",
      error: {
        code: "other-account",
        message: expect.stringContaining("another API key"),
        hint: expect.stringContaining('"config set acrossAccounts resume"'),
      },
    });
  });

  test("S21: the secret of the home is named only where the pin was made with it", () => {
    const named = expect.stringContaining('the file "secret" of the home');
    expect(decided(rotated)).toMatchObject({ error: { message: named } });
    const since: Change = { pin: { account: "key:s-1" }, observed: { account: "key:s-2" } };
    expect(decided(since)).toMatchObject({
      error: { message: expect.not.stringContaining("secret") },
    });
  });

  test("S21: an account that earlier versions named in another way is the same", () => {
    const since = { account: "key:s-2", accountBefore: "key:1" };
    const decision = decided({ pin: { account: "key:1" }, observed: since });
    expect(decision).toMatchObject({ outcome: "resume" });
    expect(decision.notices).toEqual([]);
    expect(decision.verdicts.find(({ guard }) => guard === "account")).toMatchObject({
      passed: true,
      stored: "key:1",
      current: "key:1",
    });
    const other = { pin: { account: "key:3" }, observed: since };
    expect(decided(other)).toMatchObject({ outcome: "refuse", reason: "account" });
  });

  test("is resumed under acrossAccounts: resume", () => {
    const decision = decided({ ...rotated, rules: { acrossAccounts: "resume" } });
    expect(decision).toMatchObject({ outcome: "resume" });
    expect(decision.verdicts.find(({ guard }) => guard === "account")).toMatchObject({
      passed: true,
      stored: "key:1",
      current: "key:2",
    });
  });
});

describe("a used-up limit", () => {
  const rules = (quota: Partial<QuotaRules>): Change => ({
    rules: { quota: { ...wanted.rules.quota, ...quota } },
  });
  const until = limit.until;

  test("ends with its reset", () => {
    const over = decided({ observed: { limit: { ...limit, until: observed.now } } });
    expect(over).toMatchObject({ outcome: "resume", notices: [] });
  });

  test.each<[string, Change]>([
    ["a blank turn", policy({ turn: "blank" })],
    ["a reseed", policy({ turn: "reseed" })],
    ["a first turn", { pin: null, ...nothingToReseed }],
  ])("refuses %s too", (_, change) => {
    expect(decided(limited, change)).toMatchObject({
      outcome: "refuse",
      reason: "quota",
      error: { code: "quota", resetAt: until },
    });
  });

  test("comes after an archived session and a missing folder", () => {
    expect(decided(limited, { observed: { archived: true } }).reason).toBe("archived");
    expect(decided(limited, { observed: { folderGone: true } }).reason).toBe("folder");
  });

  test("is shown when the turn is tried anyway", () => {
    const tried = decided(limited, { wanted: { now: true } }, rules({ onQuota: "wait" }));
    expect(tried).toMatchObject({ outcome: "resume", notices: [{ code: "quota-tried" }] });
    expect("quota" in tried).toBe(false);
  });

  test.each<[string, Change[], Decision["quota"] | "refuse"]>([
    ["wait", [rules({ onQuota: "wait" })], { action: "wait", until }],
    [
      "wait, exactly as long",
      [rules({ onQuota: "wait", quotaWait: 3_600_000 })],
      { action: "wait", until },
    ],
    ["wait, too long", [rules({ onQuota: "wait", quotaWait: 3_599_999 })], "refuse"],
    [
      "switch",
      [rules({ onQuota: "switch", quotaAgent: "codex" })],
      { action: "switch", agent: "codex", until },
    ],
    ["switch without an agent", [rules({ onQuota: "switch" })], "refuse"],
    ["switch to itself", [rules({ onQuota: "switch", quotaAgent: "coder" })], "refuse"],
    [
      "switch a second time",
      [
        rules({ onQuota: "switch", quotaAgent: "codex" }),
        { wanted: { switched: { from: "claude", until } } },
      ],
      "refuse",
    ],
  ])("onQuota: %s", (_, changes, expected) => {
    const decision = decided(limited, ...changes);
    if (expected === "refuse")
      expect(decision).toMatchObject({ outcome: "refuse", reason: "quota" });
    else expect(decision).toMatchObject({ outcome: "resume", quota: expected });
  });

  test("of another agent is named by the turn that was handed over", () => {
    const { notices } = decided({ wanted: { switched: { from: "claude", until } } });
    expect(notices).toEqual([
      {
        code: "quota-switch",
        text: `coder (scripted) takes over from claude, whose account's limit is used up until ${new Date(until).toISOString()}.`,
      },
    ]);
  });
});
