/** Mutations of what happens while the limit of an account is used up, and when another agent takes over. */

import type { Mutation } from "./mutations.ts";

const core = "packages/core/src/session";
const engine = "packages/engine/src/turn";
const limits = "packages/store/src/verbs/turns/record-turn.ts";
const decisions = [`${core}/decide.test.ts`];
const storeSuite = ["packages/store/src/sqlite/store.test.ts"];
const turns = ["packages/engine/src/quota.test.ts"];

export const quotaMutations: readonly Mutation[] = [
  {
    name: "quota: a limit refuses a blank turn too",
    file: `${core}/decide.ts`,
    find: 'if (limited?.error) return refuse("quota", limited.error);',
    replace: "",
    tests: decisions,
  },
  {
    name: "quota: a reset beyond quotaWait is not waited for",
    file: `${core}/quota.ts`,
    find: 'if (onQuota === "wait" && until - now <= quotaWait)',
    replace: 'if (onQuota === "wait")',
    tests: decisions,
  },
  {
    name: "quota: a turn is handed over once",
    file: `${core}/quota.ts`,
    find: " && switched === null;",
    replace: ";",
    tests: decisions,
  },
  {
    name: "quota: a prompt of which something was done is not sent again",
    file: `${core}/classify.ts`,
    find: "const nothingDone = number === 1 && !seen.tools && !toolSaved;",
    replace: "const nothingDone = number === 1 && !toolSaved;",
    tests: [`${core}/classify.test.ts`],
  },
  {
    name: "quota: a limit is remembered for its account",
    file: limits,
    find: "if (limitedUntil !== undefined) {",
    replace: "if (limitedUntil === 0) {",
    tests: storeSuite,
  },
  {
    name: "quota: a success of an attempt from before a limit does not end it",
    file: limits,
    find: "AND at <= (SELECT started_at FROM attempt WHERE turn = :turn AND number = :number)",
    replace: "",
    tests: storeSuite,
  },
  {
    name: "quota: a turn that goes to another agent has no more access",
    file: `${engine}/quota.ts`,
    find: "access: lower(had, effectiveAccess(engine, agent)),",
    replace: "",
    tests: turns,
  },
  {
    name: "quota: a turn that waits is cancelled by any process",
    file: `${engine}/acquire.ts`,
    find: "if (isStill || waitsUntil(turn) !== null)",
    replace: "if (isStill)",
    tests: turns,
  },
  {
    name: "takeover: the person sees which agent takes over",
    file: `${core}/decide.ts`,
    find: "...takeoverNotices(takeoverOf(outcome), wanted),",
    replace: "",
    tests: decisions,
  },
  {
    name: "takeover: the model sees from which agent it takes over",
    file: "packages/core/src/prompt/compose.ts",
    find: "const what = takeover\n",
    replace: "const what = takeover && how.length === 0\n",
    tests: ["packages/core/src/prompt/compose.test.ts"],
  },
];
