/** Takes the protections of a session with an ACP agent out, one at a time. */

import type { Mutation } from "./mutations.ts";

const acp = "packages/providers/src/acp";
const bridge = [`${acp}/turn.test.ts`];

export const acpMutations: readonly Mutation[] = [
  {
    name: "acp: a part that is missing in the replay is noticed",
    file: `${acp}/witness.ts`,
    find: "if (at > 0 || isLast) return damaged(of);",
    replace: "",
    tests: [`${acp}/witness.test.ts`],
  },
  {
    name: "acp: a changed answer in the replay is noticed",
    file: `${acp}/witness.ts`,
    find: "turn.replayed && turn.replayed.text !== text",
    replace: "turn.replayed && turn.replayed.text === nothing",
    tests: [`${acp}/witness.test.ts`],
  },
  {
    name: "acp: a damaged session is not sent the prompt",
    file: `${acp}/run-turn.ts`,
    find: 'if (verdict.state === "damaged")',
    replace: 'if (verdict.state === "damaged" && turns === null)',
    tests: bridge,
  },
  {
    name: "acp: the replay is not output",
    file: `${acp}/session-events.ts`,
    find: "if (this.#session === null) this.#replay(update);",
    replace: "if (update === null) this.#replay(update);",
    tests: bridge,
  },
  {
    name: "acp: another session's id is reported as it is",
    file: `${acp}/client.ts`,
    find: "id: word(opened.sessionId) ?? id, opened",
    replace: "id, opened",
    tests: bridge,
  },
  {
    name: "acp: edits stay in the work folder",
    file: `${acp}/permission.ts`,
    find: "return changing.includes(kind) && isInside;",
    replace: "return changing.includes(kind);",
    tests: [`${acp}/permission.test.ts`],
  },
  {
    name: "acp: only exactly the allowed commands run",
    file: `${acp}/permission.ts`,
    find: 'return allowedCommands.includes(commandOf(call) ?? "");',
    replace: 'return allowedCommands.some((each) => (commandOf(call) ?? "").startsWith(each));',
    tests: [`${acp}/permission.test.ts`],
  },
  {
    name: "acp: nothing is allowed for ever below full access",
    file: `${acp}/permission.ts`,
    find: 'rules.level === "full" ? option("allow_always")',
    replace: 'rules.level !== null ? option("allow_always")',
    tests: [`${acp}/permission.test.ts`],
  },
  {
    name: "acp: a prompt does not begin with a command",
    file: `${acp}/prompt.ts`,
    find: 'prompt.replace(/^(\\s*)(?=\\/)/, "$1\\\\")',
    replace: "prompt",
    tests: [`${acp}/command.test.ts`],
  },
];
