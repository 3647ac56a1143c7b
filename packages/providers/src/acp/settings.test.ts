import { UsageError } from "@reprise/core/errors/errors";
import { describe, expect, test } from "vitest";
import { given } from "./access.ts";
import { commandOf } from "./settings.ts";

const words = (command: string) => commandOf({ settings: { command } });

describe("the command", () => {
  test.each([
    ["opencode acp", ["opencode", "acp"]],
    ["  gemini   --acp ", ["gemini", "--acp"]],
    [
      `"/opt/my agent/bin" --name='a "b"' c\\ d ""`,
      ["/opt/my agent/bin", '--name=a "b"', "c d", ""],
    ],
    [String.raw`a "b\"c\\d\n" 'e\f'`, ["a", String.raw`b"c\d\n`, String.raw`e\f`]],
    ["a $HOME;b", ["a", "$HOME;b"]],
    ['["/opt/my agent", "--acp", ""]', ["/opt/my agent", "--acp", ""]],
  ])("%s", (command, expected) => {
    expect(words(command)).toEqual(expected);
  });

  test.each(['agent "acp', "agent 'acp", "agent \\", "[agent]", "[1]", "[]", '[""]', '""'])(
    "%s is refused",
    (command) => {
      expect(() => words(command)).toThrow(UsageError);
    },
  );

  test("a relative program is refused, and so is none", () => {
    expect(() => words("bin/agent acp")).toThrow(/not an absolute path/);
    expect(() => words(" ")).toThrow(/needs the setting command/);
    expect(() => commandOf({ settings: {} })).toThrow(/needs the setting command/);
  });
});

test.each([
  ["gemini --acp --yolo", "full"],
  ["gemini --acp --approval-mode=yolo", "full"],
  ['["agent", "--dangerously-skip-permissions"]', "full"],
  ["agent --allow-all-tools", "full"],
  ["agent --full-auto", "full"],
  ["gemini --acp", null],
  ["/opt/yolo/agent acp", null],
])("%s gives access %s", (command, access) => {
  expect(given({ command })).toBe(access);
});
