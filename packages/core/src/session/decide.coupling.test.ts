import fc from "fast-check";
import { expect, test } from "vitest";
import { compose } from "../prompt/compose.ts";
import { decide } from "./decide.ts";
import { guardNames, type HistoryState, type Observed, type Wanted } from "./decision.ts";
import { observed, pin, wanted } from "./example.ts";
import type { Ability, Pin } from "./pin.ts";
import { type PolicyInput, resolvePolicy, runModes, surfaces } from "./policy.ts";
import { onQuotaChoices } from "./quota.ts";

const few = (...values: string[]) => fc.constantFrom(...values);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const count = fc.nat({ max: 5 });
const abilities = fc.subarray<Ability>(["resume", "model-on-resume"]);
const runtime = fc.record({
  product: few("scripted", "fork"),
  home: few("/h1", "/h2"),
  version: few("1", "2"),
  abilities,
});
const chainEnd = fc.record({ length: count, digest: few("a", "b") });

const policyInput: fc.Arbitrary<PolicyInput> = fc.record({
  surface: fc.constantFrom(...surfaces),
  turn: maybe(fc.constantFrom("reseed", "blank")),
  mode: maybe(fc.constantFrom(...runModes)),
  kind: fc.constantFrom("interactive", "background"),
  agentSessions: fc.constantFrom("default", "resume", "fresh"),
  regularAgentSessions: fc.constantFrom("resume", "fresh"),
  reset: maybe(fc.constant("daily at 4:00")),
});

const anyWanted: fc.Arbitrary<Wanted> = fc
  .record({
    policy: policyInput.map(resolvePolicy),
    agent: few("coder", "reviewer"),
    folder: few("/f1", "/f2"),
    model: maybe(few("m1", "m2")),
    instructions: maybe(few("i1", "i2")),
    rules: fc.record({
      onResumeFailure: fc.constantFrom("reseed", "fail"),
      acrossAccounts: fc.constantFrom("refuse", "reseed", "resume"),
      onInstructionsChange: fc.constantFrom("note", "reseed"),
      onModelChange: fc.constantFrom("note", "reseed"),
      onAdvanced: fc.constantFrom("reseed", "catch-up"),
      maxStrikes: fc.integer({ min: 1, max: 3 }),
      budget: fc.record({
        maxAge: maybe(count),
        maxBytes: maybe(count),
        maxTokens: maybe(count),
        over: fc.constantFrom("warn", "compact", "reseed", "refuse"),
      }),
      quota: fc.record({
        onQuota: fc.constantFrom(...onQuotaChoices),
        quotaWait: count,
        quotaAgent: maybe(few("coder", "codex")),
      }),
    }),
  })
  .map((some) => ({ ...wanted, ...some }));

const anyPin: fc.Arbitrary<Pin | null> = maybe(
  fc
    .record({
      agent: few("coder", "reviewer"),
      folder: few("/f1", "/f2"),
      runtime,
      model: maybe(few("m1", "m2")),
      account: maybe(few("a1", "a2")),
      instructions: maybe(few("i1", "i2")),
      given: chainEnd,
      residue: maybe(
        fc.record({
          turn: few("t1"),
          history: chainEnd,
          tools: fc.boolean(),
          given: chainEnd,
        }),
      ),
      strikes: count,
      tokens: count,
      bytes: count,
      startedAt: count,
    })
    .map((some) => ({ ...pin, ...some })),
);

const damage = fc.constantFrom("missing", "unreadable", "shorter", "altered");
const anyHistory: fc.Arbitrary<HistoryState> = fc.oneof(
  fc.record({ state: fc.constantFrom("same", "compacted", "unknown") }),
  fc.record({ state: fc.constant("advanced"), items: count }),
  fc.record({
    state: fc.constant("unconfirmed"),
    tools: fc.boolean(),
    restorable: fc.boolean(),
  }),
  fc.record({
    state: fc.constant("restorable"),
    found: damage,
    earlier: fc.boolean(),
    unconfirmed: fc.boolean(),
  }),
  fc.record({
    state: fc.constant("lost"),
    found: damage,
    checkpoint: fc.constantFrom("none", "damaged", "newer", "foreign"),
  }),
) as fc.Arbitrary<HistoryState>;

const measure = fc.record({
  length: count,
  digest: few("a", "b"),
  prefix: maybe(few("a", "b")),
});
const anyObserved: fc.Arbitrary<Observed> = fc
  .record({
    now: count,
    archived: fc.boolean(),
    purgedAt: maybe(count),
    lastAgent: maybe(few("coder", "reviewer")),
    lastProvider: maybe(few("scripted", "codex")),
    slice: fc
      .record({ now: measure, earlier: count, overtaken: maybe(measure) })
      .map(({ now, earlier, overtaken }) => ({ ...now, earlier, ...(overtaken && { overtaken }) })),
    runtime,
    account: maybe(few("a1", "a2")),
    history: anyHistory,
    retired: maybe(few("poisoned")),
  })
  .map((some) => ({ ...observed, ...some }));

/** Why a session may have to become shorter, and who can do that. */
const length: fc.Arbitrary<Pick<Observed, "compaction" | "overflowed" | "compacts">> = fc.record({
  compaction: maybe(fc.record({ focus: maybe(few("the parser")) })),
  overflowed: fc.boolean(),
  compacts: fc.boolean(),
});

/** Mostly one thing away from a session in which every guard holds, else any state at all. */
const apart = fc.oneof(
  fc.record({ wanted: anyWanted, pin: anyPin, observed: anyObserved }),
  fc
    .record({
      wanted: anyWanted,
      pin: anyPin,
      observed: anyObserved,
      keep: fc.subarray(["wanted", "pin", "observed"] as const, { minLength: 1 }),
    })
    .map(({ keep, ...any }) => ({
      wanted: keep.includes("wanted") ? wanted : any.wanted,
      pin: keep.includes("pin") ? pin : any.pin,
      observed: keep.includes("observed") ? observed : any.observed,
    })),
);

const situation = fc
  .record({ apart, length: maybe(length) })
  .map(({ apart, length }) => ({ ...apart, observed: { ...apart.observed, ...length } }));

function holds(check: (given: { wanted: Wanted; pin: Pin | null; observed: Observed }) => void) {
  fc.assert(fc.property(situation, check), { numRuns: 1000 });
}

/** A conversation of the measured size: what lies earlier ends with another agent's answer. */
function conversation({ agent }: Wanted, { slice }: Observed) {
  const message = (text: string, by: string, role: "user" | "assistant") => ({
    role,
    agent: by,
    text,
    origin: "turn" as const,
    opening: false,
  });
  return [
    ...Array.from({ length: slice.earlier }, (_, n) =>
      message(`earlier-${n}`, "another", n === slice.earlier - 1 ? "assistant" : "user"),
    ),
    ...Array.from({ length: slice.length }, (_, n) =>
      message(`slice-${n}`, agent, n % 2 === 0 ? "user" : "assistant"),
    ),
  ];
}

test("every guard is judged every time, in order, and the reason is one that failed", () => {
  holds((given) => {
    const { verdicts, reason, outcome } = decide(given.wanted, given.pin, given.observed);
    expect(verdicts.map(({ guard }) => guard)).toEqual([...guardNames]);
    const named = verdicts.find(({ guard }) => guard === reason);
    if (outcome === "resume") expect(reason).toBe("all-hold");
    else if (named) expect(named.passed).toBe(false);
    else expect(["archived", "checkpoint", "resume-failure"]).toContain(reason);
  });
});

test("a handle is given exactly when the outcome is resume, and it is the pinned one", () => {
  holds((given) => {
    const decision = decide(given.wanted, given.pin, given.observed);
    expect("handle" in decision).toBe(decision.outcome === "resume");
    if (decision.outcome === "resume") expect(decision.handle).toEqual(given.pin?.handle);
  });
});

test("resume means that every guard passed; every guard passing means resume, or a named refusal", () => {
  let resumed = 0;
  holds((given) => {
    const { outcome, verdicts, reason } = decide(given.wanted, given.pin, given.observed);
    const all = verdicts.every(({ passed }) => passed);
    if (outcome === "resume") {
      resumed += 1;
      expect(all).toBe(true);
    } else if (all) {
      expect([outcome, reason]).toEqual(["refuse", "archived"]);
    }
  });
  expect(resumed).toBeGreaterThan(20);
});

test("a new provider session without the transcript is a decision, a first turn, or reported", () => {
  holds(({ wanted, pin, observed }) => {
    const decision = decide(wanted, pin, observed);
    const empty = observed.slice.length + observed.slice.earlier === 0;
    if (decision.outcome === "reseed") expect(empty).toBe(false);
    if (decision.outcome !== "blank") return;
    const decidedBySomebody = wanted.policy.continuity === "blank" && decision.reason === "policy";
    const firstTurn = pin === null && empty;
    const said = empty && decision.notices.some(({ code }) => code === "nothing-left");
    expect(decidedBySomebody || firstTurn || said).toBe(true);
  });
});

test("the prompt has the whole transcript exactly when the outcome is reseed", () => {
  holds(({ wanted, pin, observed }) => {
    const decision = decide(wanted, pin, observed);
    if (decision.outcome === "refuse") return;
    const messages = conversation(wanted, observed);
    fc.pre(decision.outcome !== "resume" || decision.catchUp <= messages.length);
    const { parts, text } = compose({
      decision,
      agent: wanted.agent,
      conversation: messages,
      instructions: null,
      keepsInstructions: true,
      turnInstructions: null,
      prompt: "the new turn",
      askedLast: false,
      maxBytes: 100_000,
    });
    const record = parts.some(({ kind }) => kind === "transcript" || kind === "handoff");
    expect(record).toBe(decision.outcome === "reseed");
    if (decision.outcome === "reseed")
      for (const message of messages) expect(text).toContain(message.text);
    if (decision.outcome === "blank") expect(text).toBe("the new turn");
    expect(text.endsWith("the new turn")).toBe(true);
  });
});

test("K2: a notice does not change what the agent is sent", () => {
  let changed = 0;
  holds(({ wanted, pin, observed }) => {
    const decision = decide(wanted, pin, observed);
    if (decision.outcome === "refuse") return;
    const messages = conversation(wanted, observed);
    fc.pre(decision.outcome !== "resume" || decision.catchUp <= messages.length);
    const composed = (notices: typeof decision.notices) =>
      compose({
        decision: { ...decision, notices },
        agent: wanted.agent,
        conversation: messages,
        instructions: "Be brief.",
        keepsInstructions: true,
        turnInstructions: null,
        prompt: "the new turn",
        askedLast: false,
        maxBytes: 100_000,
      });
    if (decision.notices.length > 0) changed += 1;
    expect(composed([])).toEqual(composed(decision.notices));
  });
  expect(changed).toBeGreaterThan(20);
});

test("a session is compacted by its program only where it can, to be resumed, and what did not fit is not sent as it was", () => {
  let compacted = 0;
  holds(({ wanted, pin, observed }) => {
    const decision = decide(wanted, pin, observed);
    if (decision.outcome !== "resume") return;
    const compacts = decision.prepare.includes("compact");
    if (compacts) compacted += 1;
    expect(compacts && !observed.compacts).toBe(false);
    expect(compacts).toBe(decision.compact !== undefined);
    if (observed.overflowed || (observed.compacts && observed.compaction))
      expect(compacts).toBe(true);
  });
  expect(compacted).toBeGreaterThan(5);
});

test("catching up never asks for a negative number of messages", () => {
  holds((given) => {
    const decision = decide(given.wanted, given.pin, given.observed);
    if (decision.outcome === "resume") expect(decision.catchUp).toBeGreaterThanOrEqual(0);
  });
});

test("the same input gives the same decision, and nothing is changed", () => {
  holds((given) => {
    const before = structuredClone(given);
    const first = decide(given.wanted, given.pin, given.observed);
    expect(decide(before.wanted, before.pin, before.observed)).toEqual(first);
    expect(given).toEqual(before);
  });
});
