/** The import boundaries, on sources that cross them and sources that do not. */

import { expect, test } from "vitest";
import { boundaryProblemsIn } from "../../scripts/boundaries.ts";

test.each([
  ["packages/client/src/a.ts", `import { readFileSync } from "node:fs";`],
  ["packages/core/src/a.ts", `import { readFileSync } from "node:fs";`],
  ["packages/core/src/a.ts", `import { openStore } from "@reprise/store/store";`],
  ["packages/core/src/a.ts", `export const now = Date.now();`],
  ["packages/core/src/a.ts", `export const now = new Date();`],
  ["packages/workflow/src/a.ts", `export const now = Date.now();`],
  ["packages/workflow/src/a.ts", `import { readFileSync } from "node:fs";`],
  ["packages/workflow/src/a.ts", `import { openStore } from "@reprise/store/store";`],
  ["packages/core/src/a.ts", `import { load } from "@reprise/workflow/load";`],
  ["packages/core/src/a.ts", `export const now = () => performance.now();`],
  ["packages/core/src/a.ts", `export const id = crypto.randomUUID();`],
  ["packages/core/src/a.ts", `export const roll = Math.random;`],
  ["packages/store/src/a.ts", `const engine = await import("@reprise/engine/open-reprise");`],
  ["packages/store/src/a.ts", `export type { Turn } from "../../core/src/session/turn.ts";`],
  ["packages/store/src/a.ts", `type Turn = import("@reprise/engine/turn").Turn;`],
  ["packages/store/src/a.ts", `import { test } from "vitest";`],
  ["packages/store/src/a.ts", `import { start } from "../../../test/models/server.ts";`],
])("%s may not: %s", (file, source) => {
  expect(boundaryProblemsIn(file, `\n${source}\n`)).toEqual([
    expect.stringContaining(`${file}:2 `),
  ]);
});

test.each([
  ["packages/core/src/a.ts", `import { z } from "zod"; import { b } from "./b.ts";`],
  ["packages/core/src/a.ts", `export const at = (value: number) => new Date(value).toISOString();`],
  [
    "packages/core/src/a.test.ts",
    `import { readFileSync } from "node:fs"; import { test } from "vitest";`,
  ],
  ["packages/engine/src/a.ts", `import { hostname } from "node:os"; export const at = Date.now();`],
  ["packages/engine/src/a.ts", `import type { Store } from "@reprise/store/store";`],
  ["packages/store/src/suite/a.ts", `import { test } from "vitest";`],
  ["packages/providers/src/a.test.ts", `import { start } from "../../../test/models/server.ts";`],
])("%s may: %s", (file, source) => {
  expect(boundaryProblemsIn(file, source)).toEqual([]);
});
