/** What the page is made of: small enough, nothing from elsewhere, and examples that work. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { load } from "@reprise/workflow/load";
import { expect, inject, test } from "vitest";
import { root } from "../../scripts/files.ts";

/** An asset that is loaded with the page, not with one of its routes. */
function isShell(file: string, html: string): boolean {
  return file === "index.html" || html.includes(file);
}

test("K5: the shell and its lists are at most 180 KB compressed, and no route is over 400 KB", () => {
  const folder = inject("page");
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const sizes = globSync("{index.html,assets/*}", { cwd: folder }).map((file) => ({
    shell: isShell(file, html),
    bytes: gzipSync(readFileSync(join(folder, file))).length,
  }));
  const sum = (parts: typeof sizes) => parts.reduce((total, { bytes }) => total + bytes, 0);
  expect(sum(sizes)).toBeGreaterThan(10_000);
  expect(sum(sizes.filter(({ shell }) => shell))).toBeLessThan(180_000);
  expect(sum(sizes)).toBeLessThan(400_000);
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
