import { describe, expect, test } from "vitest";
import { chain } from "../conversation/slice.ts";
import { pin as pinned, plainHash } from "./example.ts";
import {
  type CheckpointState,
  contextOf,
  growthSince,
  type History,
  type HistoryItem,
  judgeHistory,
  lastSummary,
} from "./history.ts";
import type { Pin } from "./pin.ts";

const item = (digest: string, role: HistoryItem["role"] = "user") => ({ role, text: "", digest });
const history = (digests: string, compacted = false): History => ({
  items: [...digests].map((digest) => item(digest, digest === "S" ? "summary" : "user")),
  bytes: digests.length,
  compacted,
});
const end = (digests: string) => chain(digests, plainHash);
const pin: Pin = { ...pinned, history: end("abc"), summary: null };
const left = (tools: boolean): Pin => ({
  ...pin,
  residue: { turn: "t", history: end("abcd"), tools, given: end("") },
});

function judged(
  found: History | "missing" | "unreadable",
  checkpoint: CheckpointState = "whole",
  by: Pin = pin,
) {
  return judgeHistory(by, found, checkpoint, plainHash);
}

test.each([
  ["unchanged", history("abc"), { state: "same" }],
  ["grown", history("abcde"), { state: "advanced", items: 2 }],
  ["cut off", history("ab"), { state: "restorable", found: "shorter" }],
  ["empty", history(""), { state: "restorable", found: "shorter" }],
  ["changed in the middle", history("axc"), { state: "restorable", found: "altered" }],
  ["changed in the middle, and grown", history("axcd"), { state: "restorable", found: "altered" }],
  ["out of order", history("acb"), { state: "restorable", found: "altered" }],
  ["missing", "missing", { state: "restorable", found: "missing" }],
  ["unreadable", "unreadable", { state: "restorable", found: "unreadable" }],
  ["replaced by a summary", history("Sc", true), { state: "compacted" }],
] as const)("%s", (_, found, expected) => {
  expect(judged(found)).toEqual(expected);
});

test.each(["none", "damaged", "newer", "foreign"] as const)(
  "damage with a checkpoint that is %s is a loss",
  (checkpoint) => {
    expect(judged("missing", checkpoint)).toEqual({ state: "lost", found: "missing", checkpoint });
    expect(judged(history("abc"), checkpoint)).toEqual({ state: "same" });
  },
);

test("a provider without a witness is not judged", () => {
  expect(judged("missing", "none", { ...pin, history: null })).toEqual({ state: "unknown" });
});

describe("after a turn of ours that was not confirmed", () => {
  test.each([
    [true, "whole", true],
    [false, "whole", true],
    [false, "damaged", false],
  ] as const)("tools %s, checkpoint %s", (tools, checkpoint, restorable) => {
    const state = { state: "unconfirmed", tools, restorable };
    expect(judged(history("abcd"), checkpoint, left(tools))).toEqual(state);
  });

  test.each([
    ["nothing is left of it", history("abc"), { state: "same" }],
    ["more came from elsewhere", history("abcde"), { state: "advanced", items: 2 }],
    ["something else is there", history("abcx"), { state: "advanced", items: 1 }],
  ])("%s", (_, found, expected) => {
    expect(judged(found, "whole", left(false))).toEqual(expected);
  });
});

describe("a history that had been compacted before it was confirmed", () => {
  const compacted: Pin = { ...pin, history: end("Sbc"), summary: "S" };
  test("is the same while nothing changes", () => {
    expect(judged(history("Sbc", true), "whole", compacted)).toEqual({ state: "same" });
  });
  test("can be cut off, which is not a compaction", () => {
    expect(judged(history("Sb", true), "whole", compacted)).toEqual({
      state: "restorable",
      found: "shorter",
    });
  });
});

test.each([
  ["nothing", "abc", true, ""],
  ["more", "abcde", true, "de"],
  ["a summary", "abcS", true, "S"],
  ["a summary in the place of all", "S", false, "S"],
  ["a loss", "ab", false, "ab"],
  ["a change", "abx", false, "abx"],
])("growth since it was confirmed: %s", (_, digests, kept, gained) => {
  const growth = growthSince(history(digests), end("abc"), plainHash);
  expect(growth).toEqual({ kept, items: history(gained).items, end: end(digests) });
});

test("a session that had nothing gained everything", () => {
  const growth = growthSince(history("Sb"), null, plainHash);
  expect(growth).toEqual({ kept: true, items: history("Sb").items, end: end("Sb") });
});

test("the last summary is the newest of them", () => {
  const items = [item("s1", "summary"), item("a"), item("s2", "summary"), item("b")];
  expect(lastSummary({ items, bytes: 0, compacted: true })).toBe("s2");
  expect(lastSummary(history("abc"))).toBeNull();
});

describe("a person went back in the provider's own program", () => {
  const rewound = (found: History, earlier: readonly History[], by: Pin = pin) =>
    judgeHistory(by, found, "whole", plainHash, earlier);
  const state = (kept: number, items: number) => ({ state: "rewound", kept, items, takenBack: 0 });

  test.each([
    ["and continued", history("axy"), [history("abc")], state(1, 2)],
    ["to the beginning, and continued", history("xyz"), [history("abc")], state(0, 3)],
    ["and said nothing more", history("ab"), [history("abc")], state(2, 0)],
    ["and the pinned branch had continued before", history("abx"), [history("abcd")], state(2, 1)],
    [
      "one of several branches is the pinned one",
      history("ax"),
      ["axe", "abc"].map((each) => history(each)),
      state(1, 1),
    ],
  ])("%s", (_, found, earlier, expected) => {
    expect(rewound(found, earlier)).toEqual(expected);
  });

  test("what is pinned and not there any more is damage", () => {
    const damage = { state: "restorable", found: "altered" };
    expect(rewound(history("axy"), [history("abx")])).toEqual(damage);
    expect(rewound(history("axy"), [])).toEqual(damage);
  });
});

describe("what else the model gets out of the provider's files", () => {
  const withContext = (digests: string, context: string): History => ({
    ...history(digests),
    context: [...context],
  });
  const by: Pin = { ...pin, context: end("pq") };

  test.each([
    ["unchanged", withContext("abc", "pq"), { state: "same" }],
    ["more was added since", withContext("abcd", "pqr"), { state: "advanced", items: 1 }],
    ["altered", withContext("abc", "pz"), { state: "restorable", found: "altered" }],
    ["gone", withContext("abc", "p"), { state: "restorable", found: "altered" }],
    ["not known to the provider", history("abc"), { state: "same" }],
  ])("%s", (_, found, expected) => {
    expect(judged(found, "whole", by)).toEqual(expected);
  });

  test("a pin from before it was compared does not know", () => {
    expect(judged(withContext("abc", "xyz"))).toEqual({ state: "same" });
    expect(contextOf(withContext("abc", "pq"), plainHash)).toEqual({ context: end("pq") });
    expect(contextOf(history("abc"), plainHash)).toEqual({});
  });

  test("altered before a rewind is damage", () => {
    const rewound = judgeHistory(by, withContext("ax", "pq"), "whole", plainHash, [
      withContext("abc", "pz"),
    ]);
    expect(rewound).toEqual({ state: "restorable", found: "shorter" });
  });
});
