/** Takes the protections of a conversation with an API model out, one at a time. */

import type { Mutation } from "./mutations.ts";

const openai = "packages/providers/src/openai";
const bridge = [`${openai}/chat.test.ts`];

export const openaiMutations: readonly Mutation[] = [
  {
    name: "openai: a changed message is noticed by its checksum",
    file: `${openai}/state.ts`,
    find: "if (!line.startsWith(",
    replace: 'if (line === "" && !line.startsWith(',
    tests: [`${openai}/state.test.ts`],
  },
  {
    name: "openai: a state of a later version is not judged",
    file: `${openai}/state.ts`,
    find: "first.version > stateVersion",
    replace: "first.version > stateVersion + 99",
    tests: [`${openai}/state.test.ts`, `${openai}/history.test.ts`],
  },
  {
    name: "openai: a conversation is not continued under another id",
    file: `${openai}/history.ts`,
    find: 'state === "damaged" || state.id !== id',
    replace: 'state === "damaged"',
    tests: [`${openai}/history.test.ts`],
  },
  {
    name: "openai: what another process wrote is not overwritten",
    file: `${openai}/state-file.ts`,
    find: "if (before === null ? now !== null : now === null || !before.equals(now)) {",
    replace: "if (now?.length === -1) {",
    tests: bridge,
  },
  {
    name: "openai: a turn without an answer is not kept",
    file: `${openai}/chat.ts`,
    find: 'if (answer !== "") save(',
    replace: "save(",
    tests: bridge,
  },
  {
    name: "openai: dangling tool calls are not sent",
    file: `${openai}/request.ts`,
    find: "windowOf(whole, options.contextTokens)",
    replace: "windowOf([...kept, ...added], options.contextTokens)",
    tests: [...bridge, `${openai}/request.test.ts`],
  },
  {
    name: "openai: the key is removed from what is printed",
    file: `${openai}/chat.ts`,
    find: 'key === undefined ? said : said.replaceAll(key, "[redacted]")',
    replace: "said",
    tests: bridge,
  },
  {
    name: "openai: a redirection does not take the key elsewhere",
    file: `${openai}/ask.ts`,
    find: 'redirect: "manual"',
    replace: 'redirect: "follow"',
    tests: bridge,
  },
];
