/** What stops a workflow behind a rejection or a failure, taken out one at a time. */

import type { Mutation } from "./mutations.ts";

const workflow = "packages/workflow/src";
const run = `${workflow}/run`;
const examples = [`${run}/refusals.test.ts`];
const property = [`${run}/refusals.property.test.ts`];

export const refusalMutations: readonly Mutation[] = [
  {
    name: "refusal: the edges of a rejected gate are dead",
    file: `${run}/liveness.ts`,
    find: 'return !outputs.approved && node.onReject !== "continue";',
    replace: "return false;",
    tests: property,
  },
  {
    name: "refusal: a reader of an answer is not a condition on it",
    file: `${run}/liveness.ts`,
    find: "return nodes.has(node.id) || isBehind({ graph, state, frame }, node, nodes);",
    replace: "return nodes.size > 0;",
    tests: property,
  },
  {
    name: "refusal: a failure that no condition reads fails the run",
    file: `${run}/liveness.ts`,
    find: 'if (onError === "fail" || !isJudged(graph, id, "failed")) return fail;',
    replace: 'if (onError === "fail") return fail;',
    tests: property,
  },
  {
    name: "refusal: a join ends what may read a rejection",
    file: `${run}/conditions.ts`,
    find: 'if (index && index.node.type !== "join")',
    replace: "if (index)",
    tests: property,
  },
  {
    name: "refusal: a condition that was skipped has read nothing",
    file: `${run}/liveness.ts`,
    find: 'inFrame.every((id) => current(state, frame, id)?.status === "skipped")',
    replace: "inFrame.length === 0",
    tests: property,
  },
  {
    name: "refusal: what is inside a loop is judged by what became of it there",
    file: `${run}/liveness.ts`,
    find: "within = iterationOf(state, execution);",
    replace: "break;",
    tests: property,
  },
  {
    name: "refusal: a retry gate that was not passed stops what needs it",
    file: `${run}/liveness.ts`,
    find: "return outputs.passed === false && node.onMaximum === null;",
    replace: "return false;",
    tests: property,
  },
  {
    name: "refusal: a loop in which a no was not read ends with it",
    file: `${run}/loop.ts`,
    find: 'if (left.length > 0) return { next: "rejected", warnings: [] };',
    replace: "",
    tests: property,
  },
  {
    name: "refusal: a loop at its maximum has failed",
    file: `${workflow}/parse/short-nodes.ts`,
    find: 'onMaximum: onMaximum ?? "fail"',
    replace: 'onMaximum: onMaximum ?? "done"',
    tests: property,
  },
  {
    name: "refusal: the long form fails a loop whose last condition was a no",
    file: `${run}/loop.ts`,
    find: 'source.from === "output" && isNo(graph, state, frame, source.node)',
    replace: "source.node === null",
    tests: examples,
  },
  {
    name: "refusal: a join goes by its own inputs",
    file: `${run}/readiness.ts`,
    find: "const all = [...inputs.values()].flat()",
    replace: "const all = [...waits, ...[...inputs.values()].flat()]",
    tests: property,
  },
  {
    name: "refusal: a run with an unread rejection is rejected",
    file: `${run}/ending.ts`,
    find: "if (no) return ended",
    replace: "if (no && state.cancelling) return ended",
    tests: property,
  },
  {
    name: "refusal: a rejected gate is asked again",
    file: `${run}/rerun.ts`,
    find: 'if (after.refusal === "rejected" && !asksAgain) return false;',
    replace: 'if (after.refusal === "rejected") return false;',
    tests: examples,
  },
  {
    name: "feedback: a step before the coder changes nothing",
    file: `${workflow}/parse/short-loops.ts`,
    find: "judge ? judgedBy(wiring, loop, judge) : beginnersOf(wiring, loop)",
    replace: "beginnersOf(wiring, loop)",
    tests: examples,
  },
];
