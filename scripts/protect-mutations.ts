/** The protections of kept sessions, each taken out. Part of `mutations.ts`. */

import type { Mutation } from "./mutations.ts";

const scans = ["packages/engine/src/protect/scan.test.ts"];

export const protectMutations: readonly Mutation[] = [
  {
    name: "protect: a restore replaces no file that differs unless that is wanted",
    file: "packages/engine/src/protect/restore.ts",
    find: "if (differing && !force && !dryRun)",
    replace: "if (differing && force && !dryRun)",
    tests: scans,
  },
  {
    name: "protect: what a restore replaces is kept aside",
    file: "packages/engine/src/protect/restore.ts",
    find: "      await keep(path, aside);\n",
    replace: "",
    tests: scans,
  },
  {
    name: "protect: a line that is being written is not kept",
    file: "packages/engine/src/protect/changed-file.ts",
    find: 'basename(path).endsWith(".jsonl") ? await endOfLines(read, found.size) : found.size',
    replace: 'basename(path).endsWith(".never") ? await endOfLines(read, found.size) : found.size',
    tests: scans,
  },
  {
    name: "protect: a file that no longer begins with its copy is read whole",
    file: "packages/engine/src/protect/changed-file.ts",
    find: "(await fingerprint(read, known.size)) === known.fingerprint",
    replace: "(await fingerprint(read, known.size)) !== null",
    tests: scans,
  },
  {
    name: "protect: an unchanged file is not read",
    file: "packages/engine/src/protect/scan.ts",
    find: "if (known.foundSize !== size || known.modifiedAt !== modifiedAt) return true;",
    replace: "if (known.foundSize >= 0) return true;",
    tests: scans,
  },
  {
    name: "protect: a session in a folder that cannot be listed is not lost",
    file: "packages/engine/src/protect/scan.ts",
    find: "else if (!isThere && !isGone && !isHidden) gone.push(kept);",
    replace: "else if (!isThere && !isGone) gone.push(kept);",
    tests: scans,
  },
  {
    name: "protect: a session that Reprise continues is not stored twice",
    file: "packages/engine/src/protect/scan.ts",
    find: 'const state = pinned.has(id) ? ("own" as const) : named.state;',
    replace: "const state = named.state;",
    tests: scans,
  },
  {
    name: "protect: bytes that a kept session has outlive a checkpoint",
    file: "packages/store/src/verbs/checkpoints/checkpoint.ts",
    find: "         AND NOT EXISTS (SELECT 1 FROM kept_part WHERE kept_part.sha256 = blob.sha256)`,",
    replace: "`,",
    tests: ["packages/store/src/sqlite/store.test.ts"],
  },
  {
    name: "protect: an agent turns nothing off",
    file: "packages/engine/src/protect/protect.ts",
    find: '      requireOutsideTurn("turn protect on or off");\n',
    replace: "",
    tests: ["packages/engine/src/protect/inside-turn.test.ts"],
  },
];
