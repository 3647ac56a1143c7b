/** The protections of what a provider keeps: each taken out. Part of `mutations.ts`. */

import type { Mutation } from "./mutations.ts";

const history = "packages/core/src/session/history.ts";
const judged = ["packages/core/src/session/history.test.ts"];
const native = ["test/conformance/c23-native-turns.test.ts"];

export const historyMutations: readonly Mutation[] = [
  {
    name: "history: a rewind is followed only where all that was pinned is still there",
    file: history,
    find: "return earlier.find(isPinned) ?? null;",
    replace: "return earlier.find(isPinned) ?? earlier[0] ?? null;",
    tests: judged,
  },
  {
    name: "history: what else the model gets is watched",
    file: history,
    find: "if (!keepsContext(found, pin, hash))",
    replace: "if (found === null)",
    tests: judged,
  },
  {
    name: "history: what was taken back is not in a slice",
    file: "packages/core/src/conversation/slice.ts",
    find: ".filter((message) => !message.takenBack)",
    replace: "",
    tests: ["packages/core/src/conversation/slice.test.ts"],
  },
  {
    name: "history: what a person did is imported before it is decided",
    file: "packages/engine/src/turn/decide-attempt.ts",
    find: "imported === null &&",
    replace: "imported !== null &&",
    tests: native,
  },
  {
    name: "history: a checkpoint has the bytes that were judged",
    file: "packages/providers/src/files.ts",
    find: "known.set(name, found);",
    replace: "",
    tests: ["packages/engine/src/turn/judged-bytes.test.ts"],
  },
  {
    name: "history: what could not be read is read again",
    file: "packages/providers/src/files.ts",
    find: "found.catch(() => known.delete(name));",
    replace: "",
    tests: ["packages/providers/src/files.test.ts"],
  },
  {
    name: "history: only what is not there is missing",
    file: "packages/providers/src/files.ts",
    find: 'return code === "ENOENT" || code === "ENOTDIR";',
    replace: "return code !== undefined;",
    tests: ["packages/providers/src/files.test.ts"],
  },
  {
    name: "history: codex continues the newest segment",
    file: "packages/providers/src/codex/rollout-files.ts",
    find: "if (best === undefined || file.segment > best.segment) return file;",
    replace: "if (best === undefined || file.segment < best.segment) return file;",
    tests: ["packages/providers/src/codex/lineage.test.ts"],
  },
  {
    name: "history: an older state goes where codex looks",
    file: "packages/providers/src/codex/checkpoint.ts",
    find: "newest(found.filter(isNewer))?.name ?? head.name",
    replace: "head.name",
    tests: ["packages/providers/src/codex/lineage.test.ts"],
  },
];
