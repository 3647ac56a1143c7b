/** Every promise of docs/guarantees.md names tests, and they are there. */

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = new URL("../../docs/guarantees.md", import.meta.url);

test("every row names a test file that exists", () => {
  const rows = readFileSync(page, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (fault|what) \|/.test(line));
  const promises = rows.filter((row) => row.split(" | ").length === 3);
  expect(promises.length).toBeGreaterThan(30);
  for (const row of promises) {
    const links = [...row.matchAll(/\[([^\]]+\.test\.ts)\]\(\.\.\/([^)]+)\)/g)];
    expect([row, links.length > 0]).toEqual([row, true]);
    for (const [, text, path] of links) {
      expect(text).toBe(path);
      expect([path, existsSync(new URL(`../../${path}`, import.meta.url))]).toEqual([path, true]);
    }
  }
});
