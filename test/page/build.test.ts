/** What the page is made of: small enough, nothing from elsewhere, and examples that work. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { load } from "@reprise/core/workflow/load";
import { expect, inject, test } from "vitest";
import { root } from "../../scripts/files.ts";

test("the first load is smaller than 350 KB, without the schemas' validator", () => {
  const files = globSync("{index.html,assets/*}", { cwd: inject("page") });
  const contents = files.map((file) => readFileSync(join(inject("page"), file)));
  const bytes = contents.reduce((sum, content) => sum + gzipSync(content).length, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(350_000);
  expect(contents.some((content) => content.includes("ZodError"))).toBe(false);
});

test("the examples are workflows without a mistake", () => {
  const folder = join(root, "packages/web/src/examples");
  const files = globSync("*.yaml", { cwd: folder });
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const { graph, findings } = load(readFileSync(join(folder, file), "utf8"), { strict: true });
    expect([file, findings, graph === null]).toEqual([file, [], false]);
  }
});
