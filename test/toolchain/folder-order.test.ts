/** The order of the folders inside a package, on sources that import upwards and sources that do not. */

import { expect, test } from "vitest";
import { orderProblemsIn, tableProblems } from "../../scripts/folder-order.ts";

test("an import that goes up is reported with its line, both places and what to do", () => {
  const source = `\nimport { z } from "zod";\nimport type { Settings } from "../settings/settings.ts";\n`;
  expect(orderProblemsIn("packages/core/src/session/a.ts", source)).toEqual([
    "packages/core/src/session/a.ts:3 imports packages/core/src/settings/settings.ts, but settings is above session " +
      "in the order of packages/core/src. Move what both need to a lower place, or change the order in scripts/folder-order.ts.",
  ]);
});

test.each([
  ["packages/engine/src/turn/a.ts", `import { b } from "../session/b.ts";`],
  ["packages/engine/src/turn/a.ts", `const { b } = await import("../session/b.ts");`],
  ["packages/engine/src/turn/a.ts", `type B = import("../session/b.ts").B;`],
  ["packages/engine/src/turn/a.ts", `export * from "../open-reprise.ts";`],
  ["packages/engine/src/engine.ts", `import { b } from "./turn/b.ts";`],
  ["packages/engine/src/run/work/a.ts", `import { b } from "../step.ts";`],
  ["packages/store/src/sqlite/a.ts", `import { b } from "../postgres/b.ts";`],
  ["packages/providers/src/codex/a.ts", `import { b } from "../claude/b.ts";`],
  ["packages/reprise/src/cli/commands/a.ts", `import { b } from "../run-commands.ts";`],
])("%s may not: %s", (file, source) => {
  expect(orderProblemsIn(file, source)).toEqual([expect.stringContaining(`${file}:1 imports`)]);
});

test.each([
  ["packages/core/src/settings/a.ts", `import { b } from "../session/b.ts";`],
  ["packages/core/src/session/a.ts", `import { b } from "./b.ts";`],
  ["packages/core/src/session/a.test.ts", `import { b } from "../settings/b.ts";`],
  ["packages/core/src/session/a.ts", `import { decide } from "@reprise/core/api/reprise";`],
  ["packages/engine/src/open-reprise.ts", `import { b } from "./run/work/b.ts";`],
  ["packages/store/src/verbs/turns/a.ts", `import { b } from "../sessions/b.ts";`],
  ["packages/core/src/errors/hint.ts", `import type { B } from "../api/verb-commands.ts";`],
])("%s may: %s", (file, source) => {
  expect(orderProblemsIn(file, source)).toEqual([]);
});

test("what the order leaves out, or names although it does not exist, is reported", () => {
  const files = ["packages/core/src/extra/a.ts", "packages/mail/src/box/a.ts"];
  const problems = tableProblems(files);
  expect(problems).toContain("scripts/folder-order.ts has no order for packages/mail/src.");
  expect(problems).toContain("scripts/folder-order.ts has no place for packages/core/src/extra.");
  expect(problems).toContain(
    "scripts/folder-order.ts names packages/core/src/session, which does not exist.",
  );
});
