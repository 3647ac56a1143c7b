import { expect, test } from "vitest";
import { isCovered, splitRules } from "./rules.ts";

test.each([
  ["", []],
  ["Edit", ["Edit"]],
  ["Edit,Bash(git *), mcp__a__b", ["Edit", "Bash(git *)", "mcp__a__b"]],
  ["Edit Bash(a, b)", ["Edit", "Bash(a, b)"]],
])("%j has the rules %j", (setting, rules) => {
  expect(splitRules(setting)).toEqual(rules);
});

test.each([
  ["Bash", { command: "rm -r ." }, true],
  ["Bash(git *)", { command: "git status" }, true],
  ["Bash(git *)", { command: "git" }, true],
  ["Bash(git:*)", { command: "git status" }, true],
  ["Bash(git *)", { command: "gitk" }, false],
  ["Bash(pwd)", { command: "pwd" }, true],
  ["Bash(pwd)", { command: "pwd; ls" }, false],
  ["Bash(a.b)", { command: "axb" }, false],
  ["Bash(npm run *:test)", { command: "npm run unit:test" }, true],
  ["Edit", { command: "ls" }, false],
  ["Bash(", { command: "ls" }, false],
])("%s covers %j: %s", (rule, tool_input, covered) => {
  expect(isCovered({ tool_name: "Bash", tool_input }, [rule])).toBe(covered);
});

test("files and addresses are matched too", () => {
  const edit = { tool_name: "Edit", tool_input: { file_path: "/src/a.ts" } };
  expect(isCovered(edit, ["Edit(/src/*)"])).toBe(true);
  expect(isCovered(edit, ["Edit(/test/*)"])).toBe(false);
});
