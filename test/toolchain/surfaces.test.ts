/** The surface of a package, on imports and exports that fit and on those that do not. */

import { expect, test } from "vitest";
import {
  deadEntries,
  type PackageSurface,
  surfaceProblemsIn,
  usedSurface,
} from "../../scripts/surfaces.ts";

const store: PackageSurface = {
  name: "@reprise/store",
  folder: "packages/store",
  exports: {
    "./contract/*": "./src/contract/*.ts",
    "./store": "./src/store.ts",
    "./suite/samples": "./src/suite/samples.ts",
  },
  exportsForTests: ["./suite/samples"],
};

test.each([
  [
    "packages/engine/src/a.ts",
    `const { db } = await import("@reprise/store/verbs/db");`,
    "imports @reprise/store/verbs/db, which packages/store/package.json does not export. " +
      "If others should use it, run: node scripts/surfaces.ts --write",
  ],
  [
    "packages/engine/src/a.ts",
    `import { sample } from "@reprise/store/suite/samples";`,
    "imports @reprise/store/suite/samples, which packages/store/package.json exports for tests only. " +
      "If the product should use it, run: node scripts/surfaces.ts --write",
  ],
])("%s may not: %s", (file, source, problem) => {
  expect(surfaceProblemsIn([store], file, `\n${source}\n`)).toEqual([`${file}:2 ${problem}`]);
});

test.each([
  ["packages/engine/src/a.ts", `import type { Store } from "@reprise/store/store";`],
  ["packages/engine/src/a.ts", `import type { Run } from "@reprise/store/contract/runs";`],
  ["packages/engine/src/a.test.ts", `import { sample } from "@reprise/store/suite/samples";`],
  ["bench/a.ts", `import { sample } from "@reprise/store/suite/samples";`],
])("%s may: %s", (file, source) => {
  expect(surfaceProblemsIn([store], file, source)).toEqual([]);
});

const product = (module: string) => ({ module, forTests: false });
const forTests = (module: string) => ({ module, forTests: true });

test("an entry that no other package imports is reported, and one that only tests do", () => {
  const manifest = "packages/store/package.json";
  expect(deadEntries(store, [forTests("./store"), forTests("./suite/samples")])).toEqual([
    `${manifest} exports "./contract/*", but no other package imports it. Run: node scripts/surfaces.ts --write`,
    `${manifest} exports "./store", but only tests import it. Run: node scripts/surfaces.ts --write`,
  ]);
});

test("what is written is what is imported: patterns stay while they are used", () => {
  const uses = [product("./contract/runs"), forTests("./contract/due"), forTests("./verbs/db")];
  expect(usedSurface(store, [...uses, product("./store")])).toEqual({
    exports: {
      "./contract/*": "./src/contract/*.ts",
      "./store": "./src/store.ts",
      "./verbs/db": "./src/verbs/db.ts",
    },
    exportsForTests: ["./verbs/db"],
  });
  expect(usedSurface(store, [product("./store")])).toEqual({
    exports: { "./store": "./src/store.ts" },
    exportsForTests: [],
  });
});
