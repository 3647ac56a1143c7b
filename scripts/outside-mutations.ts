/** The protections against callers, files and backups from outside, each taken out. Part of `mutations.ts`. */

import type { Mutation } from "./mutations.ts";

const plans = ["packages/engine/src/run/plan.test.ts"];

export const outsideMutations: readonly Mutation[] = [
  {
    name: "outside: a plan starts no program that the workflow names",
    file: "packages/engine/src/run/work/check-agents.ts",
    find: 'trust === "programs" ? [] : localSettings(',
    replace: 'trust !== "nothing" ? [] : localSettings(',
    tests: plans,
  },
  {
    name: "outside: a viewer's plan looks at no path",
    file: "packages/engine/src/run/plan.ts",
    find: 'const trust = mayRun ? "paths" : "nothing";',
    replace: 'const trust = "paths";',
    tests: plans,
  },
];
