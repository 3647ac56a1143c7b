import { expect, test } from "vitest";
import { shortLine } from "./short-line.ts";

test("S0j: a command of seven kilobytes becomes one line with its beginning and its end", () => {
  const command = `bash -c 'set -e\n${"export A=1\n".repeat(700)}npm test --watch'`;
  const line = shortLine(command);
  expect(line).toHaveLength(120);
  expect(line).toMatch(/^bash -c 'set -e export A=1 .*….* npm test --watch'$/);
});

test("a short text stays, on one line", () => {
  expect(shortLine("touch a.txt")).toBe("touch a.txt");
  expect(shortLine(" echo a\n\techo b\n")).toBe("echo a echo b");
});

test("letters of two code units are not split", () => {
  expect(shortLine("😀".repeat(9), 4)).toBe("😀😀…😀");
});
