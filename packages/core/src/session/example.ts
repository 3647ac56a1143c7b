/** A session in which every guard passes; tests change one thing at a time. */

import type { Observed, Wanted } from "./decision.ts";
import { sessionKey } from "./key.ts";
import type { Pin, Runtime } from "./pin.ts";

/** Injective, which is all that a test needs of a digest, and readable when it fails. */
export const plainHash = (text: string) => `(${text})`;

const runtime: Runtime = {
  product: "scripted",
  home: "/homes/scripted",
  version: "1.0.0",
  abilities: ["resume", "model-on-resume"],
};

export const wanted: Wanted = {
  key: sessionKey("wf:42:agent:coder"),
  agent: "coder",
  provider: "scripted",
  policy: {
    continuity: "resume",
    source: "surface",
    surface: "direct",
    mode: "resume",
    mustContinue: false,
  },
  folder: "/home/me/project",
  model: "m1",
  instructions: "i1",
  rules: {
    onResumeFailure: "reseed",
    acrossAccounts: "refuse",
    onInstructionsChange: "note",
    onModelChange: "note",
    onAdvanced: "reseed",
    maxStrikes: 3,
    budget: { maxAge: null, maxBytes: null, maxTokens: null, over: "warn" },
    quota: { onQuota: "fail", quotaWait: 6 * 3_600_000, quotaAgent: null },
  },
};

export const pin: Pin = {
  handle: { id: "s-1", place: "/homes/scripted" },
  provider: "scripted",
  agent: "coder",
  folder: "/home/me/project",
  runtime,
  model: "m1",
  account: "account-1",
  instructions: "i1",
  given: { length: 2, digest: "g2" },
  cursor: "message-2",
  history: { length: 2, digest: "h2" },
  residue: null,
  summary: null,
  totals: null,
  strikes: 0,
  turns: 1,
  tokens: 1000,
  bytes: 2000,
  startedAt: 1_000_000,
  confirmedAt: 1_060_000,
};

export const observed: Observed = {
  now: 1_600_000,
  archived: false,
  purgedAt: null,
  lastAgent: "coder",
  lastProvider: "scripted",
  slice: { length: 2, digest: "g2", prefix: "g2", earlier: 0 },
  runtime,
  account: "account-1",
  history: { state: "same" },
  retired: null,
};
