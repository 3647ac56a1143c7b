/** Takes the protections of pi out, one at a time. */

import type { Mutation } from "./mutations.ts";

const pi = "packages/providers/src/pi";

export const piMutations: readonly Mutation[] = [
  {
    name: "pi: a history whose beginning pi would skip is not continued",
    file: `${pi}/session-file.ts`,
    find: "if (entry.parentId && !nodes.has(entry.parentId)) return null;",
    replace: "",
    tests: [`${pi}/session-file.test.ts`],
  },
  {
    name: "pi: a session under another id is not taken for its own",
    file: `${pi}/observe.ts`,
    find: "if (session?.header.id !== id) return null;",
    replace: "if (session === null || id === null) return null;",
    tests: [`${pi}/session-file.test.ts`],
  },
  {
    name: "pi: only a whole id is resumed",
    file: `${pi}/command.ts`,
    find: "if (idPattern.test(id)) return id;",
    replace: "if (idPattern !== undefined) return id;",
    tests: [`${pi}/command.test.ts`],
  },
  {
    name: "pi: what is written stays in the work folder, wherever links lead",
    file: `${pi}/rules.ts`,
    find: "const path = realPath(pathOf(input.path, cwd));",
    replace: "const path = pathOf(input.path, cwd);",
    tests: [`${pi}/rules.test.ts`],
  },
  {
    name: "pi: a link to nothing is not followed",
    file: `${pi}/rules.ts`,
    find: 'if (code !== "ENOENT" || isLink(path)) throw error;',
    replace: 'if (code !== "ENOENT") throw error;',
    tests: [`${pi}/rules.test.ts`],
  },
  {
    name: "pi: a tool that has no rule is denied",
    file: `${pi}/rules.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands so in the code
    find: "return `the tool ${tool} is not allowed.`;",
    replace: "return tool === undefined ? tool : null;",
    tests: [`${pi}/rules.test.ts`],
  },
  {
    name: "pi: under read and edit no extension is loaded but ours",
    file: `${pi}/access.ts`,
    find: '"--no-extensions",',
    replace: "",
    tests: [`${pi}/command.test.ts`],
  },
  {
    name: "pi: an end without an answer is not a success",
    file: `${pi}/reader.ts`,
    find: "if (settled || code === null || code > 128) return [];",
    replace: "if (settled || code === null || code > 128 || code === 0) return [];",
    tests: [`${pi}/reader.test.ts`],
  },
];
