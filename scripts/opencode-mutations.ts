/** Takes the protections of an OpenCode session out, one at a time. */

import type { Mutation } from "./mutations.ts";

const opencode = "packages/providers/src/opencode";
const image = [`${opencode}/session-image.test.ts`];

export const opencodeMutations: readonly Mutation[] = [
  {
    name: "opencode: only the allowed commands run",
    file: `${opencode}/shell.ts`,
    find: "exit 126",
    replace: 'exec /bin/sh -c "$2"',
    tests: [`${opencode}/shell.test.ts`],
  },
  {
    name: "opencode: nothing is left to ask about",
    file: `${opencode}/access.ts`,
    find: 'auto ? asked("allow") : asked("deny")',
    replace: "{}",
    tests: [`${opencode}/command.test.ts`],
  },
  {
    name: "opencode: an edit stays in the work folder",
    file: `${opencode}/access.ts`,
    find: '...within([folder], roots, "allow"), ...outwards',
    replace: '"*": "allow" as const',
    tests: [`${opencode}/command.test.ts`],
  },
  {
    name: "opencode: a copy has no secrets",
    file: `${opencode}/session-image.ts`,
    find: "if (leftOut.includes(table)) return null;",
    replace: "",
    tests: image,
  },
  {
    name: "opencode: history and checkpoint are the same state",
    file: `${opencode}/snapshot.ts`,
    find: "known.get(name) ?? read(handle)",
    replace: "read(handle)",
    tests: image,
  },
  {
    name: "opencode: a damaged database is noticed",
    file: `${opencode}/session-image.ts`,
    find: 'if (said !== "ok")',
    replace: 'if (said === "")',
    tests: image,
  },
  {
    name: "opencode: a step that was refused is not an answer",
    file: `${opencode}/reader.ts`,
    find: 'return reason === "stop" ||',
    replace: 'return reason !== "content-filter" ||',
    tests: [`${opencode}/reader.test.ts`],
  },
];
