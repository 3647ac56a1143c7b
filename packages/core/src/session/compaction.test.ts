import { describe, expect, test } from "vitest";
import type { AgentReport, AttemptEvidence, AttemptResult } from "./classify.ts";
import { classifyCompaction, compactionOf, decide } from "./decide.ts";
import { observed, pin, wanted } from "./example.ts";
import type { Failure } from "./failure.ts";

const compacted: AttemptEvidence = {
  outcome: "resume",
  number: 1,
  seen: { id: "s-1", result: "", tools: false, failure: null, asked: null },
  exit: 0,
  expectedId: "s-1",
  idOk: true,
  historyGrew: false,
  toolSaved: false,
  unread: null,
  cancelled: false,
  cancelledBy: null,
  timedOut: false,
  strikes: 2,
  maxStrikes: 9,
  compacts: true,
  continuesAfter: () => false,
};

interface Change extends Partial<Omit<AttemptEvidence, "seen">> {
  readonly seen?: Partial<AgentReport>;
  readonly summarised?: boolean | null;
  readonly overflowed?: boolean;
}

function classified({
  seen,
  summarised = true,
  overflowed = false,
  ...rest
}: Change): AttemptResult {
  return classifyCompaction(
    { ...compacted, ...rest, seen: { ...compacted.seen, ...seen } },
    { summarised, overflowed },
  );
}

const failing = (kind: Failure["kind"]): Change => ({
  seen: { result: null, failure: { kind, message: "The words of the provider." } },
  summarised: false,
  exit: 1,
});
const silent: Change = { seen: { result: null }, summarised: false };

test.each<[string, Change, string]>([
  ["the history has a new summary", {}, "compacted again advance"],
  ["the history cannot be read", { summarised: null }, "compacted again advance"],
  ["said to be done, and no summary", { summarised: false }, "failed again residue"],
  ["refused", failing("missing"), "rejected again residue"],
  ["another session came back", { seen: { id: "s-2" } }, "rejected again residue"],
  ["an id that cannot be used", { idOk: false }, "rejected again residue"],
  ["a history that is not taken", failing("poisoned"), "poisoned again residue"],
  ["an unknown failure", failing("unknown"), "failed again residue"],
  ["no answer", { ...silent, exit: 0 }, "failed again residue"],

  ["a failure that passes", failing("transient"), "transient failed keep"],
  ["a limit", failing("quota"), "transient failed keep"],
  ["another writer", failing("writer"), "transient failed keep"],
  ["killed", { ...silent, exit: 137 }, "interrupted interrupted keep"],
  ["cancelled", { ...silent, exit: 143, cancelled: true }, "cancelled cancelled keep"],
  ["out of time", { ...silent, exit: 143, timedOut: true }, "timed-out failed keep"],
])("%s → %s", (_, change, expected) => {
  const { ending, status, pin } = classified(change);
  expect(`${ending} ${status} ${pin}`).toBe(expected);
});

describe("a handle is retired", () => {
  test.each<[string, Change, string | null]>([
    ["when it was refused", failing("missing"), "refused: The words of the provider"],
    ["not when it was compacted", { overflowed: true }, null],
    ["not when it could not be compacted", failing("unknown"), null],
    [
      "when it had not fitted either",
      { ...failing("unknown"), overflowed: true },
      "overflow: it could not be compacted",
    ],
    ["not while that may pass", { ...failing("transient"), overflowed: true }, null],
  ])("%s", (_, change, expected) => {
    expect(classified(change).retire).toBe(expected);
  });
});

test("a failed compaction is not a strike, and is reported in the provider's words", () => {
  expect(classified(failing("unknown"))).toMatchObject({
    strike: false,
    error: {
      code: "not-compacted",
      message: "The agent did not compact its session: The words of the provider.",
    },
  });
});

test("only a decision that prepares it has a compaction", () => {
  const focus = { focus: "the parser" };
  const asked = { ...observed, compacts: true, compaction: focus };
  expect(compactionOf(decide(wanted, pin, asked))).toEqual(focus);
  expect(compactionOf(decide(wanted, pin, observed))).toBeNull();
  const elsewhere = { ...wanted, folder: "/home/me/elsewhere" };
  expect(compactionOf(decide(elsewhere, pin, asked))).toBeNull();
});
