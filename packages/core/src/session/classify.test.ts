import { describe, expect, test } from "vitest";
import {
  type AgentReport,
  type AttemptEvidence,
  type AttemptResult,
  classify,
} from "./classify.ts";
import type { Failure } from "./failure.ts";

const answered: AttemptEvidence = {
  outcome: "resume",
  number: 1,
  seen: { id: "s-1", result: "done", tools: false, failure: null, asked: null },
  exit: 0,
  expectedId: "s-1",
  idOk: true,
  historyGrew: true,
  toolSaved: false,
  unread: null,
  cancelled: false,
  cancelledBy: null,
  timedOut: false,
  strikes: 0,
  maxStrikes: 3,
  compacts: false,
  continuesAfter: () => false,
};

type Change = Partial<Omit<AttemptEvidence, "seen">> & { readonly seen?: Partial<AgentReport> };

function classified({ seen, ...rest }: Change): AttemptResult {
  return classify({ ...answered, ...rest, seen: { ...answered.seen, ...seen } });
}

const failing = (kind: Failure["kind"], more: Partial<AgentReport> = {}): Change => ({
  seen: { result: null, failure: { kind, message: "The words of the provider." }, ...more },
  exit: 1,
});
const overflowing: Change = failing("poisoned", {
  failure: { kind: "poisoned", message: "The words of the provider.", overflow: true },
});
const compactable: Change = { ...overflowing, compacts: true };
const exhausted: Change = {
  ...failing("poisoned", {
    failure: { kind: "poisoned", message: "Too long.", overflow: true, exhausted: true },
  }),
  compacts: true,
};
const fresh: Change = { outcome: "reseed", expectedId: null };
const brief = ({ ending, status, pin }: AttemptResult) => `${ending} ${status} ${pin}`;

test.each<[string, Change, string]>([
  ["the asked session answered and saved it", {}, "confirmed done advance"],
  ["answered, no witness to ask", { historyGrew: null }, "confirmed done advance"],
  ["answered, killed afterwards", { exit: 137 }, "confirmed done advance"],
  ["answered after tools", { seen: { tools: true } }, "confirmed done advance"],
  [
    "saved in the asked session, which did not name itself",
    { seen: { id: null } },
    "confirmed done advance",
  ],
  ["a new session with an id of the agent's", fresh, "confirmed done advance"],
  ["a new session with our id", { ...fresh, expectedId: "s-1" }, "confirmed done advance"],
  [
    "a new session under another id than ours",
    { ...fresh, expectedId: "s-0" },
    "rejected again keep",
  ],
  ["a blank session", { ...fresh, outcome: "blank" }, "confirmed done advance"],
  ["a second attempt that succeeds", { ...fresh, number: 2 }, "confirmed done advance"],

  ["answered, nothing saved", { historyGrew: false }, "ghost done keep"],
  ["a new session, nothing saved", { ...fresh, historyGrew: false }, "ghost done keep"],
  [
    "a new session without an id",
    { ...fresh, seen: { id: null }, historyGrew: null },
    "ghost done keep",
  ],

  ["another id came back", { seen: { id: "s-2" } }, "rejected again keep"],
  [
    "another id, and ended at once for it",
    { seen: { id: "s-2", result: null }, exit: 143 },
    "rejected again keep",
  ],
  [
    "another id with a failure of its own",
    { seen: { ...failing("transient").seen, id: "s-2" } },
    "rejected again keep",
  ],
  [
    "no id came back, nothing saved",
    { seen: { id: null }, historyGrew: false },
    "rejected again keep",
  ],
  ["an unusable id came back", { seen: { id: "sk-secret" }, idOk: false }, "rejected again keep"],
  ["another id after a tool", { seen: { id: "s-2", tools: true } }, "rejected failed keep"],
  ["another id on the second attempt", { seen: { id: "s-2" }, number: 2 }, "rejected failed keep"],
  ["a new session with an unusable id", { ...fresh, idOk: false }, "rejected failed keep"],

  [
    "the session is missing",
    { ...failing("missing", { id: null }), historyGrew: false },
    "rejected again keep",
  ],
  ["missing, after a tool", failing("missing", { tools: true }), "rejected failed keep"],
  ["missing, on the second attempt", { ...failing("missing"), number: 2 }, "rejected failed keep"],
  ["missing, said by a new session", { ...fresh, ...failing("missing") }, "failed failed keep"],

  ["the new id is taken", { ...fresh, ...failing("in-use") }, "rejected again keep"],
  [
    "the new id is taken twice",
    { ...fresh, ...failing("in-use"), number: 2 },
    "rejected failed keep",
  ],
  [
    "the resumed session is in use",
    { ...failing("in-use"), historyGrew: false },
    "transient failed keep",
  ],
  [
    "another process writes it",
    { ...failing("writer"), historyGrew: false },
    "transient failed keep",
  ],

  [
    "the prompt was not read",
    { ...failing("unsent", { id: null }), historyGrew: false },
    "transient again keep",
  ],
  [
    "the prompt was not read by a new session",
    { ...fresh, ...failing("unsent", { id: null }), historyGrew: false },
    "transient again keep",
  ],
  [
    "the prompt was not read twice",
    { ...failing("unsent", { id: null }), historyGrew: false, number: 2 },
    "transient failed keep",
  ],

  ["a passing failure, prompt saved", failing("transient"), "transient failed residue"],
  [
    "a passing failure, nothing saved",
    { ...failing("transient"), historyGrew: false },
    "transient failed keep",
  ],
  [
    "a passing failure, no witness",
    { ...failing("transient"), historyGrew: null },
    "transient failed keep",
  ],
  [
    "a passing failure of a new session",
    { ...fresh, ...failing("transient") },
    "transient failed keep",
  ],
  ["a limit", failing("quota"), "transient failed residue"],

  ["an invalid history", failing("poisoned"), "poisoned again keep"],
  ["a history that is too long", overflowing, "poisoned again keep"],
  ["a transcript that is too long", { ...fresh, ...overflowing }, "poisoned again keep"],
  ["a summary that is too long", { ...fresh, ...overflowing, number: 2 }, "poisoned failed keep"],
  [
    "a prompt that is too long by itself",
    { ...fresh, ...overflowing, outcome: "blank" },
    "poisoned failed keep",
  ],
  ["a history that its program can compact", compactable, "poisoned again residue"],
  ["the same, for the second time", { ...compactable, number: 2 }, "poisoned failed keep"],
  [
    "the same, after a tool",
    { ...compactable, seen: { ...compactable.seen, tools: true } },
    "poisoned failed keep",
  ],
  [
    "an overflow reported as success",
    { ...failing("poisoned", { result: "too long" }), exit: 0 },
    "poisoned again keep",
  ],
  [
    "an invalid history, after a tool",
    failing("poisoned", { tools: true }),
    "poisoned failed keep",
  ],
  [
    "an invalid history, second attempt",
    { ...failing("poisoned"), number: 2 },
    "poisoned failed keep",
  ],
  [
    "an invalid history of a new session",
    { ...fresh, ...failing("poisoned") },
    "poisoned failed keep",
  ],

  ["an unknown failure", failing("unknown"), "failed failed residue"],
  [
    "an unknown failure of a new session",
    { ...fresh, ...failing("unknown") },
    "failed failed keep",
  ],
  ["no answer, exit 0", { seen: { result: null } }, "failed failed residue"],
  [
    "no answer, exit 1",
    { seen: { result: null }, exit: 1, historyGrew: false },
    "failed failed keep",
  ],

  [
    "no answer, ended by a signal",
    { seen: { result: null }, exit: 137 },
    "interrupted interrupted residue",
  ],
  [
    "no answer, no exit recorded",
    { seen: { result: null }, exit: null },
    "interrupted interrupted residue",
  ],
  [
    "a new session, no exit recorded",
    { ...fresh, seen: { result: null }, exit: null },
    "interrupted interrupted keep",
  ],

  [
    "cancelled",
    { seen: { result: null }, exit: 143, cancelled: true },
    "cancelled cancelled residue",
  ],
  [
    "cancelled before anything was saved",
    { seen: { result: null }, exit: 143, cancelled: true, historyGrew: false },
    "cancelled cancelled keep",
  ],
  [
    "out of time",
    { seen: { result: null }, exit: 143, timedOut: true },
    "timed-out failed residue",
  ],
])("%s → %s", (_, change, expected) => {
  expect(brief(classified(change))).toBe(expected);
});

test("a cancelled turn says who cancelled it, where that is known", () => {
  const named = classified({ cancelled: true, cancelledBy: "ana" }).error;
  expect(named).toMatchObject({ message: "ana cancelled the turn.", by: "ana" });
  const unknown = classified({ cancelled: true }).error;
  expect(unknown).toMatchObject({ message: "The turn was cancelled." });
  expect(unknown).not.toHaveProperty("by");
});

describe("a handle is retired", () => {
  test.each<[string, Change, string | null]>([
    ["when the session is refused", failing("missing"), "refused: The words of the provider"],
    ["when another came back", { seen: { id: "s-2" } }, "refused: another session came back"],
    [
      "when a tool ran before that",
      { seen: { id: "s-2", tools: true } },
      "refused: another session came back",
    ],
    ["when its history is invalid", failing("poisoned"), "poisoned: The words of the provider"],
    ["when its history is too long", overflowing, "overflow: The words of the provider"],
    ["not while it can be compacted", compactable, null],
    ["when it was not to be compacted", exhausted, "overflow: Too long"],
    [
      "when it did not fit a second time",
      { ...compactable, number: 2 },
      "overflow: The words of the provider",
    ],
    ["at the last strike", { ...failing("unknown"), strikes: 2 }, "3 unknown failures in a row"],
    ["not before", { ...failing("unknown"), strikes: 1 }, null],
    ["not after a passing failure", failing("transient"), null],
    ["not after a limit", failing("quota"), null],
    ["not while another process writes it", failing("writer"), null],
    ["not when cancelled", { cancelled: true }, null],
    ["not when out of time", { timedOut: true }, null],
    ["not when interrupted", { seen: { result: null }, exit: null }, null],
    ["not when the turn was not saved", { historyGrew: false }, null],
    ["not for what a new session did", { ...fresh, ...failing("unknown"), strikes: 2 }, null],
  ])("%s", (_, change, expected) => {
    expect(classified(change).retire).toBe(expected);
  });

  test("a retired handle gets no residue", () => {
    expect(classified({ ...failing("unknown"), strikes: 2 }).pin).toBe("keep");
  });
});

test.each<[string, Change, boolean]>([
  ["an unknown failure", failing("unknown"), true],
  ["no answer", { seen: { result: null } }, true],
  ["an unknown failure of a new session", { ...fresh, ...failing("unknown") }, false],
  ["a passing failure", failing("transient"), false],
  ["an interruption", { seen: { result: null }, exit: null }, false],
  ["an answer", {}, false],
])("%s counts as a strike: %s", (_, change, strike) => {
  expect(classified(change).strike).toBe(strike);
});

describe("what people see", () => {
  test("an answer needs no words", () => {
    expect(classified({})).toMatchObject({ error: null, notice: null });
  });

  test("an answer that was not saved comes with a notice and no error", () => {
    expect(classified({ historyGrew: false })).toMatchObject({
      error: null,
      notice: { code: "ghost" },
    });
  });

  test.each<[string, Change, string]>([
    ["missing", failing("missing"), "session-refused"],
    ["poisoned", failing("poisoned"), "session-poisoned"],
    ["a taken id", { ...fresh, ...failing("in-use") }, "id-in-use"],
    ["an unread prompt", { ...failing("unsent"), historyGrew: false }, "prompt-unread"],
  ])("a second attempt after %s comes with one notice", (_, change, code) => {
    expect(classified(change).notice).toMatchObject({ code });
    expect(classified({ ...change, number: 2 }).notice).toBeNull();
  });

  test("a failure is one sentence and one hint, in the provider's words", () => {
    expect(classified(failing("transient")).error).toEqual({
      code: "transient",
      message: "The agent could not answer for now: The words of the provider.",
      hint: "Send again later; the session is kept.",
    });
  });

  test("only the first line of a long story is quoted, and not all of it", () => {
    const message = `${"a".repeat(500)}\n at somewhere`;
    const { error } = classified({ seen: { result: null, failure: { kind: "unknown", message } } });
    expect(error?.message).toMatch(/^The agent failed: a{299}…\.$/);
  });

  test("a limit says until when, where that is known", () => {
    const quota = (resetAt?: number) => {
      const failure = {
        kind: "quota",
        message: "limit",
        ...(resetAt !== undefined && { resetAt }),
      };
      return classified({ seen: { result: null, failure: failure as Failure } }).error?.message;
    };
    expect(quota(0)).toBe("The account's limit is used up until 1970-01-01T00:00:00.000Z: limit.");
    expect(quota()).toBe("The account's limit is used up: limit.");
    expect(quota(Number.NaN)).toBe("The account's limit is used up: limit.");
  });

  test("a limit continues the turn if the rules say so and nothing was done", () => {
    const limit = (change: Change = {}, resetAt: number | undefined = 5) => {
      const failure = { kind: "quota" as const, message: "limit", ...(resetAt && { resetAt }) };
      const seen = { result: null, failure, ...change.seen };
      return classified({ continuesAfter: (at) => at === 5, ...change, seen }).status;
    };
    expect(limit()).toBe("again");
    expect(limit(fresh)).toBe("again");
    expect(limit({}, 6)).toBe("failed");
    expect(limit({}, 0)).toBe("failed");
    expect(limit({ number: 2 })).toBe("failed");
    expect(limit({ seen: { tools: true } })).toBe("failed");
    expect(limit({ toolSaved: true })).toBe("failed");
    expect(limit({ cancelled: true })).toBe("cancelled");
  });

  test.each([{}, fresh])("an unusable id is never repeated", (change) => {
    const sequel = classified({ ...change, seen: { id: "sk-secret" }, idOk: false });
    expect(JSON.stringify(sequel)).not.toContain("sk-secret");
    expect(sequel.error).not.toBeNull();
  });
});

describe("S1: a first turn that is cut off", () => {
  const first: Change = { outcome: "blank", exit: 1, toolSaved: true };
  const cut = { result: null, tools: true } as const;
  const transient: Failure = { kind: "transient", message: "Overloaded" };

  test.each<[string, Change]>([
    ["by a time-out", { ...first, seen: cut, timedOut: true }],
    ["by a cancel", { ...first, seen: cut, cancelled: true }],
    ["by a crash", { ...first, seen: cut, exit: 137 }],
    ["by the service", { ...first, seen: { ...cut, failure: transient } }],
    ["by a cancel, as a reseed", { ...first, outcome: "reseed", seen: cut, cancelled: true }],
    ["without an answer", { ...first, seen: cut }],
  ])("%s after a tool leaves a provisional pin", (_, change) => {
    expect(classified(change)).toMatchObject({ pin: "provisional", retire: null, strike: false });
  });

  test.each<[string, Change]>([
    ["before any tool", { ...first, seen: { ...cut, tools: false }, cancelled: true }],
    ["with nothing saved", { ...first, toolSaved: false, seen: cut, cancelled: true }],
    ["under another id", { ...first, seen: { ...cut, id: "s-2" }, cancelled: true }],
    ["under an unusable id", { ...first, idOk: false, seen: cut, timedOut: true }],
    [
      "because its history is invalid",
      { ...first, seen: { ...cut, failure: { kind: "poisoned", message: "m" } } },
    ],
  ])("%s leaves none", (_, change) => {
    expect(classified(change).pin).not.toBe("provisional");
  });

  test("was begun, unless the service turned it away for its rate", () => {
    const failure = { ...transient, throttled: true };
    const seen = { result: null, failure };
    expect(classified({ ...first, seen }).cutOff).toBe(false);
    expect(classified({ ...first, seen: { result: null, failure: transient } }).cutOff).toBe(true);
  });
});

describe("S0h: what is not the session's fault", () => {
  test.each<[Failure["kind"], string]>([
    ["login", "login"],
    ["request", "request-refused"],
  ])("%s fails the turn, and is not a strike", (kind, code) => {
    expect(classified({ ...failing(kind), strikes: 2, historyGrew: true })).toMatchObject({
      status: "failed",
      ending: "failed",
      pin: "residue",
      retire: null,
      strike: false,
      error: { code, message: expect.stringContaining("The words of the provider") },
    });
  });

  test("an empty answer fails without a tool, and keeps the session", () => {
    expect(classified({ seen: { result: " \n" }, strikes: 2 })).toMatchObject({
      status: "failed",
      pin: "residue",
      retire: null,
      strike: false,
      error: { code: "empty-answer" },
    });
  });

  test.each([true, false])("an empty answer after a tool is done, if it was saved: %s", (saved) => {
    const seen = { result: "", tools: true };
    const found = classified({ seen, historyGrew: saved, toolSaved: saved });
    expect(found).toMatchObject({
      status: "done",
      pin: saved ? "advance" : "keep",
      notice: { code: saved ? "empty-answer" : "ghost" },
    });
  });
});

test("S0f: a history that cannot be read after the turn fails it with the reason, and the pin stays", () => {
  const unread = { code: "history-unread", message: "It is a folder.", hint: "Move it." };
  expect(classified({ unread, historyGrew: false })).toMatchObject({
    status: "failed",
    pin: "keep",
    retire: null,
    strike: false,
    error: { code: "history-unread", message: expect.stringContaining("It is a folder.") },
  });
  expect(classified({ unread, historyGrew: false, cancelled: true }).status).toBe("cancelled");
});
