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
  {
    name: "outside: only regular files are read",
    file: "packages/providers/src/files.ts",
    find: "if (!(found.isFile() || limits.pipes))",
    replace: "if (!(found.isFile() || found.isSocket() || found.isFIFO() || limits.pipes))",
    tests: ["packages/providers/src/bounded-file.test.ts"],
  },
  {
    name: "outside: a file is read up to its limit",
    file: "packages/providers/src/files.ts",
    find: "if (size > limits.limit) throw tooLarge(path, limits);",
    replace: "",
    tests: ["packages/providers/src/bounded-file.test.ts"],
  },
  {
    name: "outside: a probe has a time limit, and is ended with all that it started",
    file: "packages/providers/src/program.ts",
    find: "    endGroup(child.pid);\n",
    replace: "    child.kill();\n",
    tests: ["packages/providers/src/program.test.ts"],
  },
  {
    name: "outside: a stream ends when its token is revoked",
    file: "packages/reprise/src/server/admissions.ts",
    find: "controller.terminate();",
    replace: "",
    tests: ["packages/reprise/src/server/events.test.ts"],
  },
  {
    name: "outside: restore revokes the tokens of a backup",
    file: "packages/engine/src/backup/restore.ts",
    find: "if (!withTokens)\n",
    replace: "if (withTokens)\n",
    tests: ["test/cli/restore-rights.test.ts"],
  },
  {
    name: "outside: a home's files are not links",
    file: "packages/engine/src/home.ts",
    find: "if (found.isSymbolicLink())",
    replace: "if (found.isFIFO())",
    tests: ["packages/engine/src/home-check.test.ts"],
  },
  {
    name: "outside: a terminal obeys nothing in a line but our colours",
    file: "packages/reprise/src/cli/cli.ts",
    find: "tty ? inertLine(text) : text",
    replace: "text",
    tests: ["packages/reprise/src/cli/commands/outside-text.test.ts"],
  },
  {
    name: "outside: a check that does not end is given up",
    file: "packages/engine/src/thread/call-threads.ts",
    find: "const limit = () => startTimer(timeout, () => end(() => failed(late(timeout)), false));",
    replace: "const limit = () => () => undefined;",
    tests: ["packages/engine/src/thread/reading.test.ts"],
  },
];
