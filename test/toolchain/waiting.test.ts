/** No test has a bound of its own for how long something takes: on a slow machine such a bound decides. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryFiles, root } from "../../scripts/files.ts";

const banned = [
  ["vi.waitUntil or vi.waitFor: use until of test/until.ts", /\bvi\.wait(Until|For)\(/],
  ["a time-out of its own: the bound is in vitest.config.ts", /\b(testTimeout|hookTimeout)\b/],
] as const;

test("every test waits with the shared bound", () => {
  const tests = repositoryFiles().filter(
    (file) => /\.(test|cases)\.tsx?$/.test(file) && !file.endsWith("toolchain/waiting.test.ts"),
  );
  expect(tests.length).toBeGreaterThan(100);
  const found = tests.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return banned.flatMap(([what, words]) => (words.test(text) ? [`${file} has ${what}`] : []));
  });
  expect(found).toEqual([]);
});
